import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ControlCall } from './client.ts';
import { focus, Problem, useAction } from './controls.tsx';
import { jsonMistake, prettyJson } from './json.ts';
import { accounts, balanceFixtures, operations, own, scope, service } from './mock.ts';
import { scopeWords, shortFile } from './words.ts';

/** The balance that the next request gets: its variant, and an editor. */
export function BalanceRow() {
  const account = scope.value;
  const action = useAction();
  const isOpen = useSignal(false);
  const edit = useRef<HTMLButtonElement>(null);
  const { text, from } = nextBalance();
  const chosen = (account === null ? service : own).value;
  const choose = (variant: string) => {
    const call: ControlCall =
      variant === ''
        ? { method: 'DELETE', path: '/variant', account }
        : { method: 'PUT', path: '/variant', body: { variant }, account };
    const done = variant === '' ? 'No variant is set' : `The variant is ${variant}`;
    void action.run(call, `${done} for ${scopeWords(account)}.`);
  };
  // Another account has another balance to edit.
  useEffect(() => {
    isOpen.value = false;
  }, [account]);
  const close = () => {
    isOpen.value = false;
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
          value={chosen?.variant ?? ''}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          <option value="">{unsetWords()}</option>
          {variants().map((variant) => (
            <option key={variant} value={variant}>
              {variant}
            </option>
          ))}
        </select>
        <button
          type="button"
          ref={edit}
          disabled={chosen === null}
          aria-expanded={isOpen.value}
          aria-controls="balance-editor"
          aria-label="Edit the balance"
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          Edit
        </button>
        <span class="preview">
          <code title={text.slice(0, 2000)}>
            <bdi>{text.replace(/\s+/g, ' ').slice(0, 400)}</bdi>
          </code>
          <span class="quiet from">{from}</span>
        </span>
      </div>
      <Problem text={action.problem} />
      <p class="quiet" role="status">
        {winnerWords()}
      </p>
      <div id="balance-editor">{isOpen.value && <Editor start={text} onClose={close} />}</div>
    </div>
  );
}

/** The balance that the next request gets where no response is scripted, as the mock finds it. */
function nextBalance(): { text: string; from: string } {
  if (own.value?.balance != null)
    return { text: own.value.balance, from: `set for ${scope.value}` };
  if (service.value.balance !== null)
    return { text: service.value.balance, from: 'set for all accounts' };
  const fixtures = balanceFixtures.value;
  const fixture = [own.value?.variant, service.value.variant, initialVariant()]
    .filter((name) => name != null)
    .map((name) => fixtures.find(({ variant }) => variant === name))
    .find((found) => found !== undefined);
  const { body = '', file = '' } = fixture ?? fixtures[0] ?? {};
  return { text: body, from: shortFile(file) };
}

/** The variant that the account of the scope was made with. */
function initialVariant(): string | null {
  return accounts.value.find(({ id }) => id === scope.value)?.variant ?? null;
}

/** All variants: one that is set applies to each operation that has it. */
function variants(): string[] {
  const names = operations.value.flatMap(({ fixtures }) =>
    fixtures.flatMap(({ variant }) => variant ?? []),
  );
  return [...new Set(names)].sort();
}

/** What applies while no variant is set for the scope. */
function unsetWords(): string {
  if (scope.value === null) return 'default';
  if (own.value?.variant != null) return 'not set';
  return `not set (${service.value.variant ?? initialVariant() ?? 'default'})`;
}

/** Says that a set balance wins, where a variant is set too. */
function winnerWords(): string {
  const balance = own.value?.balance ?? service.value.balance;
  const variant = own.value?.variant ?? service.value.variant;
  if (balance === null || variant === null) return '';
  return `The set balance wins over the variant ${variant}. To use the variant, remove the balance under Edit.`;
}

interface EditorProps {
  /** The balance that there is, which is shown until it is edited. */
  readonly start: string;
  readonly onClose: () => void;
}

/** Edits the balance of the scope as JSON. */
function Editor({ start, onClose }: EditorProps) {
  const action = useAction();
  const account = scope.value;
  const edited = useSignal<string | null>(null);
  const text = edited.value ?? (start.includes('\n') ? start : prettyJson(start));
  const mistake = jsonMistake(text);
  const isSet = (own.value ?? service.value).balance !== null;
  const act = async (call: ControlCall, done: string) => {
    if ((await action.run(call, done)) !== undefined) onClose();
  };
  const set = (event: SubmitEvent) => {
    event.preventDefault();
    const done = `The balance is set for ${scopeWords(account)}.`;
    if (mistake === '') void act({ method: 'PUT', path: '/balance', body: text, account }, done);
  };
  const remove = () => {
    const done = `No balance is set for ${scopeWords(account)}: the file is served.`;
    void act({ method: 'DELETE', path: '/balance', account }, done);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
  };
  return (
    <form class="form" onSubmit={set} onKeyDown={onKeyDown} aria-label="Balance">
      <label class="field">
        <span>Balance of {scopeWords(account)}: the whole body, as JSON</span>
        <textarea
          rows={Math.min(16, Math.max(6, text.split('\n').length))}
          spellcheck={false}
          value={text}
          ref={focus}
          aria-invalid={mistake !== ''}
          aria-describedby="balance-mistake"
          onInput={(event) => {
            edited.value = event.currentTarget.value;
            action.forget();
          }}
        />
      </label>
      <p id="balance-mistake" role="status" class={mistake === '' ? 'quiet' : 'problem'}>
        {mistake === '' ? 'This is valid JSON.' : `${mistake}.`}
      </p>
      <Problem text={action.problem} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={mistake !== '' || action.isBusy}>
          Set
        </button>
        <button type="button" onClick={remove} disabled={!isSet || action.isBusy}>
          Remove
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
