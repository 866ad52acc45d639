import { useEffect, useRef, useState } from 'preact/hooks';
import { useStore } from './store.ts';
import type { TokenQuestion } from './token-question.ts';

/** Asks for the token of the control API. */
export function TokenDialog({ question }: { question: TokenQuestion }) {
  const { isAsked, wasWrong } = useStore(question.store);
  const [token, setToken] = useState('');
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isAsked) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isAsked]);
  const answer = (event: SubmitEvent) => {
    event.preventDefault();
    if (token === '') return;
    setToken('');
    question.answer(token);
  };
  return (
    <dialog ref={dialog} aria-labelledby="token-title" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={answer}>
        <h2 id="token-title">The control API needs a token</h2>
        <p>
          It is the value of <code>MOMO_MOCK_CONTROL_TOKEN</code>. This tab keeps it until you close
          it.
        </p>
        <label class="field">
          <span>Token</span>
          <input
            type="password"
            autocomplete="off"
            value={token}
            aria-describedby={wasWrong ? 'token-problem' : undefined}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        {wasWrong && (
          <p class="problem" id="token-problem" role="alert">
            The token is wrong. Check it and try again.
          </p>
        )}
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </dialog>
  );
}
