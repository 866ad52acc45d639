import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { chosenVariant } from '../mock/responses/chosen-variant.ts';
import { ActSelect } from './controls.tsx';
import { JsonEditor } from './json-editor.tsx';
import { mock } from './mock.ts';
import { scopeWords, shortFile } from './words.ts';

export function BalanceRow() {
  const { scope: account, accountConfig, allConfig } = mock.value;
  const edited = useSignal<string | null>();
  const edit = useRef<HTMLButtonElement>(null);
  const { text, from } = nextBalance();
  const isOpen = edited.value === account;
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
        <ActSelect
          id="variant"
          value={(accountConfig ?? allConfig).variant ?? ''}
          choices={variants()}
          call={(variant) => ({
            ...{ path: '/variant', account },
            ...(variant === '' ? { method: 'DELETE' } : { method: 'PUT', body: { variant } }),
          })}
          done={(variant) =>
            variant === ''
              ? `No variant is set for ${scopeWords(account)}.`
              : `The variant is ${variant} for ${scopeWords(account)}.`
          }
        />
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls="balance-editor"
          ref={edit}
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
      <div id="balance-editor">{isOpen && <Editor start={text} onClose={close} />}</div>
    </div>
  );
}

/** The next balance if no response is scripted. */
function nextBalance(): { text: string; from: string } {
  const { accountConfig, allConfig, scope, balanceFixtures } = mock.value;
  const wins = 'overrides every variant';
  if (accountConfig?.balance != null)
    return { text: accountConfig.balance, from: `set for ${scope}: ${wins}` };
  if (allConfig.balance !== null)
    return { text: allConfig.balance, from: `set for all accounts: ${wins}` };
  const fixtureOf = (name: string) => balanceFixtures.find(({ variant }) => variant === name);
  const variant = chosenVariant(
    [accountConfig?.variant, allConfig.variant, initialVariant()],
    (name) => fixtureOf(name) !== undefined,
  );
  const [normal] = balanceFixtures;
  const { body, file } = (variant === undefined ? normal : fixtureOf(variant)) ?? {};
  return { text: body ?? '', from: shortFile(file ?? '') };
}

function initialVariant(): string | null {
  const { accounts, scope } = mock.value;
  return accounts.find(({ id }) => id === scope)?.variant ?? null;
}

/** The variants of the balance, and those of other operations, which a variant is set for as well. */
function variants(): (readonly [name: string, words: string])[] {
  const { operations, balanceFixtures, accountConfig, allConfig } = mock.value;
  const namesIn = (fixtures: readonly { readonly variant: string | null }[]) =>
    [...new Set(fixtures.flatMap(({ variant }) => variant ?? []))].sort();
  const own = namesIn(balanceFixtures);
  const others = namesIn(operations.flatMap(({ fixtures }) => fixtures));
  const unset = `not set (${allConfig.variant ?? initialVariant() ?? 'default'})`;
  return [
    ['', accountConfig === null ? 'default' : unset],
    ...own.map((name) => [name, name] as const),
    ...others
      .filter((name) => !own.includes(name))
      .map((name) => [name, `${name}, of other operations`] as const),
  ];
}

function Editor({ start, onClose }: { start: string; onClose: () => void }) {
  const { scope: account, accountConfig, allConfig } = mock.value;
  const whose = scopeWords(account);
  return (
    <JsonEditor
      name="Balance"
      label={`Balance of ${whose}: the whole body, as JSON`}
      start={start}
      set={{
        call: (body) => ({ method: 'PUT', path: '/balance', body, account }),
        done: `The balance is set for ${whose}.`,
      }}
      remove={{
        call: { method: 'DELETE', path: '/balance', account },
        done: `No balance is set for ${whose}: the file is served.`,
        isDisabled: (accountConfig ?? allConfig).balance === null,
      }}
      onClose={onClose}
    />
  );
}
