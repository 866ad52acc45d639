import { useEffect, useRef, useState } from 'preact/hooks';
import { forScope, scopeWords, useAction, usePage } from './action.ts';
import { BalanceEditor } from './balance-editor.tsx';
import { shortFile } from './entry-words.ts';
import { type NextBalance, nextBalance, type PageState } from './page-state.ts';
import { Problem } from './problem.tsx';

/** The balance that the next request gets: its variant, and an editor. */
export function BalanceRow() {
  const { state } = usePage();
  const { scope } = state;
  const action = useAction();
  const [isOpen, setOpen] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const next = nextBalance(state);
  const isSet = (state.own ?? state.service).balance !== null;
  const choose = (variant: string) => {
    const account = forScope(scope);
    const [call, done] =
      variant === ''
        ? [{ method: 'DELETE', path: '/variant', ...account } as const, 'No variant is set']
        : [put(variant, account), `The variant is ${variant}`];
    void action.run(call, `${done} for ${scopeWords(scope)}.`);
  };
  // Another account has another balance to edit.
  useEffect(() => setOpen(false), [scope]);
  const close = () => {
    setOpen(false);
    edit.current?.focus();
  };
  return (
    <div class="row">
      <label class="name" for="variant">
        Balance
      </label>
      <div class="buttons">
        <select
          id="variant"
          value={(scope === null ? state.service : state.own)?.variant ?? ''}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          <option value="">{unsetWords(state)}</option>
          {variantsOf(state).map((variant) => (
            <option key={variant} value={variant}>
              {variant}
            </option>
          ))}
        </select>
        <button
          type="button"
          ref={edit}
          disabled={scope !== null && state.own === null}
          aria-expanded={isOpen}
          aria-controls="balance-editor"
          aria-label="Edit the balance"
          onClick={() => setOpen(!isOpen)}
        >
          Edit
        </button>
        <span class="preview">
          <code title={next.text.slice(0, 2000)}>
            <bdi>{next.text.replace(/\s+/g, ' ').slice(0, 400)}</bdi>
          </code>
          <span class="quiet from">{shortFrom(next)}</span>
        </span>
      </div>
      <Problem text={action.problem} />
      <p class="quiet" role="status">
        {winnerWords(state)}
      </p>
      <div id="balance-editor">
        {isOpen && <BalanceEditor start={next.text} isSet={isSet} scope={scope} onClose={close} />}
      </div>
    </div>
  );
}

/** Why it is this balance: a file without its folder, or that it was set. */
function shortFrom({ from, isFile }: NextBalance): string {
  return isFile ? shortFile(from) : from;
}

/** Says that a set balance wins, where a variant is set too. */
function winnerWords({ own, service }: PageState): string {
  const hasBalance = (own?.balance ?? service.balance) !== null;
  const variant = own?.variant ?? service.variant;
  if (!hasBalance || variant === null) return '';
  return `The set balance wins over the variant ${variant}. To use the variant, remove the balance under Edit.`;
}

function put(variant: string, account: { account?: string }) {
  const body = JSON.stringify({ variant });
  return { method: 'PUT', path: '/variant', body, ...account } as const;
}

/** All variants: one that is set applies to each operation that has it. */
function variantsOf({ operations }: PageState): string[] {
  const names = operations.flatMap(({ fixtures }) => fixtures.flatMap((one) => one.variant ?? []));
  return [...new Set(names)].sort();
}

/** What applies while no variant is set for the scope. */
function unsetWords(state: PageState): string {
  const { scope, own, service, accounts } = state;
  if (scope === null) return 'default';
  const initial = accounts.find(({ id }) => id === scope)?.variant;
  const applied = own?.variant == null ? (service.variant ?? initial ?? 'default') : undefined;
  return applied === undefined ? 'not set' : `not set (${applied})`;
}
