import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction, usePage } from './action.ts';
import { CopyLine } from './copy-button.tsx';
import { Problem } from './problem.tsx';

/** Chooses the account that the controls are for, and makes new ones. */
export function AccountRow() {
  const { model, state } = usePage();
  const { scope, accounts } = state;
  const action = useAction();
  const [key, setKey] = useState<string>();
  /** The account with this key, once it is listed. */
  const made = useRef<{ readonly id: string; isListed: boolean }>(undefined);
  const make = async () => {
    const text = await action.run({ method: 'POST', path: '/accounts' }, 'Made an account.');
    if (text === undefined) return;
    const { apikey, id } = JSON.parse(text);
    made.current = { id, isListed: false };
    setKey(apikey);
    model.choose(id);
  };
  useEffect(() => {
    const isListed = accounts.some(({ id }) => id === made.current?.id);
    // A reset removes the account, and its key is of no use any more.
    if (made.current?.isListed && !isListed) setKey(undefined);
    if (made.current !== undefined && isListed) made.current.isListed = true;
  }, [accounts]);
  return (
    <div class="row">
      <label class="name" for="scope">
        Account
      </label>
      <div class="buttons">
        <select
          id="scope"
          value={scope ?? ''}
          onChange={(event) => model.choose(event.currentTarget.value || null)}
        >
          <option value="">all accounts</option>
          {accounts.map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </select>
        <button type="button" onClick={make} disabled={action.isBusy}>
          New account
        </button>
      </div>
      <Problem text={action.problem} />
      <div role="status">
        {key !== undefined && (
          <div class="notice">
            <p>The key of the new account. It is shown only here and only now.</p>
            <CopyLine line={key} label="Copy the key of the new account" />
            <button type="button" onClick={() => setKey(undefined)}>
              Hide the key
            </button>
          </div>
        )}
      </div>
    </div>
  );
}
