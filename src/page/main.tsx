import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CallbacksPanel } from './callbacks.tsx';
import { tokenQuestion } from './client.ts';
import { follow, lostSince } from './journals.ts';
import { overview, tls } from './mock.ts';
import { NextPanel } from './next.tsx';
import { RequestsPanel } from './requests.tsx';
import { TherePanel } from './there.tsx';
import { TopBar } from './top-bar.tsx';
import { timeOfDay } from './words.ts';

/** The live page. */
function App() {
  return (
    <>
      <TopBar />
      <Connection />
      <main>
        <NextPanel />
        <CallbacksPanel />
        <RequestsPanel />
        <TherePanel />
      </main>
      <TokenDialog />
    </>
  );
}

/** Says that the connection is lost, and keeps the title of the page up to date. */
function Connection() {
  const lost = lostSince.value;
  const title = titleOf();
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div class="connection" role="status">
      {lost !== null && (
        <p>
          The connection to momo-mock is lost. The last contact was at{' '}
          {timeOfDay(lost.getTime()).slice(0, 8)}. The page tries again every second.
        </p>
      )}
    </div>
  );
}

function titleOf(): string {
  if (lostSince.value !== null) return 'Not connected – momo-mock';
  const host = overview.value === null ? '' : new URL(overview.value.url).host;
  const mode = tls.value === null || tls.value === 'normal' ? '' : `TLS ${tls.value}`;
  return [mode, host, 'momo-mock'].filter((part) => part !== '').join(' – ');
}

/** Asks for the token of the control API, while it is needed. */
function TokenDialog() {
  const question = tokenQuestion.value;
  const isAsked = question !== null;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isAsked) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isAsked]);
  const answer = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    question?.answer(String(new FormData(event.currentTarget).get('token')));
    event.currentTarget.reset();
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
            name="token"
            autocomplete="off"
            required
            aria-describedby="token-problem"
          />
        </label>
        <p class="problem" id="token-problem" role="alert">
          {question?.wasWrong && 'The token is wrong. Check it and try again.'}
        </p>
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </dialog>
  );
}

const place = document.querySelector('#page');
if (place !== null) render(<App />, place);
void follow();
