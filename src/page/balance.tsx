import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ActButton, focus, Problem, Select, useAction } from './controls.tsx';
import { jsonMistake, prettyJson } from './json.ts';
import { accounts, balanceFixtures, operations, own, scope, service } from './mock.ts';
import { scopeWords, shortFile } from './words.ts';

/** The balance that the next request gets: its variant, and an editor. */
export function BalanceRow() {
  const account = scope.value;
  const action = useAction();
  /** The scope whose balance is edited. */
  const edited = useSignal<string | null>();
  const edit = useRef<HTMLButtonElement>(null);
  const { text, from } = nextBalance();
  const chosen = (account === null ? service : own).value;
  const isOpen = edited.value === account && chosen !== null;
  const choose = (variant: string) => {
    const call = { path: '/variant', account } as const;
    if (variant === '') {
      void action.run(
        { ...call, method: 'DELETE' },
        `No variant is set for ${scopeWords(account)}.`,
      );
    } else {
      const done = `The variant is ${variant} for ${scopeWords(account)}.`;
      void action.run({ ...call, method: 'PUT', body: { variant } }, done);
    }
  };
  const close = () => {
    edited.value = undefined;
    edit.current?.focus();
  };
  return (
    <div class="row">
      <label class="name" for="variant">
        Balance
      </label>
      <div class="buttons">
        <Select
          id="variant"
          value={chosen?.variant ?? ''}
          choices={[['', unsetWords()], ...variants().map((name) => [name, name] as const)]}
          onChoose={choose}
        />
        <button
          type="button"
          ref={edit}
          disabled={chosen === null}
          aria-expanded={isOpen}
          aria-controls="balance-editor"
          aria-label="Edit the balance"
          onClick={() => {
            edited.value = isOpen ? undefined : account;
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
      <div id="balance-editor">{isOpen && <Editor start={text} onClose={close} />}</div>
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
  const set = async (event: SubmitEvent) => {
    event.preventDefault();
    const call = { method: 'PUT', path: '/balance', body: text, account } as const;
    const done = `The balance is set for ${scopeWords(account)}.`;
    if (mistake === '' && (await action.run(call, done)) !== undefined) onClose();
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
        <button type="submit" class="primary" disabled={mistake !== ''}>
          Set
        </button>
        <ActButton
          call={{ method: 'DELETE', path: '/balance', account }}
          done={`No balance is set for ${scopeWords(account)}: the file is served.`}
          onDone={onClose}
          disabled={!isSet}
        >
          Remove
        </ActButton>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
