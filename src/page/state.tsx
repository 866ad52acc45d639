import { useSignal } from '@preact/signals';
import type { TargetedMouseEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { parseExact, writeJson } from '../mock/json/exact-json.ts';
import { send } from './control-api.ts';
import { Problem } from './controls.tsx';
import { JsonEditor } from './json-editor.tsx';
import { mock, stateVersion } from './mock.ts';
import { counted, scopeWords } from './words.ts';

const MAX_NAMES = 100;

export function StateRow() {
  const isOpen = useSignal(false);
  const { scope } = mock.value;
  return (
    <div class="row">
      <h3 class="name">State</h3>
      <div class="buttons">
        <button
          type="button"
          aria-expanded={isOpen.value}
          aria-controls="state"
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {isOpen.value ? 'Hide the state' : 'Show the state'}
        </button>
        <span class="quiet">What handlers remember: payments, outcomes, options.</span>
      </div>
      <div id="state">{isOpen.value && <State key={scope} account={scope} />}</div>
    </div>
  );
}

type Values = readonly (readonly [name: string, json: string])[];

async function readState(account: string | null, prefix: string): Promise<Values> {
  const path = `/state?prefix=${encodeURIComponent(prefix)}`;
  const text = await (await send({ method: 'GET', path, account })).text();
  return Object.entries(parseExact(text) as object).map(([name, value]) => [
    name,
    `${writeJson(value)}`,
  ]);
}

function State({ account }: { account: string | null }) {
  const values = useSignal<Values>([]);
  const problem = useSignal('');
  const prefix = useSignal('');
  /** Empty for a new value. */
  const edited = useSignal<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const show = (read: Values, message = '') => {
      if (!isCurrent) return;
      values.value = read;
      problem.value = message;
    };
    readState(account, prefix.value).then(show, ({ message }) => show([], message));
    return () => {
      isCurrent = false;
    };
  }, [prefix.value, stateVersion.value]);
  const listed = values.value.slice(0, MAX_NAMES);
  const opener = useRef<HTMLButtonElement>(null);
  const open = (name: string) => (event: TargetedMouseEvent<HTMLButtonElement>) => {
    opener.current = event.currentTarget;
    edited.value = name;
  };
  const close = () => {
    edited.value = null;
    opener.current?.focus();
  };
  return (
    <div class="state">
      <div class="buttons">
        <input
          type="search"
          aria-label={`Names in the state of ${scopeWords(account)} that begin with`}
          placeholder="name begins with"
          onInput={({ currentTarget }) => {
            prefix.value = currentTarget.value;
          }}
        />
        <button type="button" aria-pressed={edited.value === ''} onClick={open('')}>
          New value…
        </button>
        <span class="quiet" role="status">
          {counted(values.value.length, 'value')} of {scopeWords(account)}
          {values.value.length > MAX_NAMES && `, the first ${MAX_NAMES} are shown`}
        </span>
      </div>
      <Problem text={problem.value} />
      {edited.value !== null && (
        <ValueEditor
          key={edited.value}
          {...{ account, name: edited.value }}
          json={values.value.find(([name]) => name === edited.value)?.[1]}
          onClose={close}
        />
      )}
      {listed.some(([name]) => name === 'outcomes') && (
        <p class="quiet">
          To decide about each payment on this page, set outcomes to <code>{'{"*":"ask"}'}</code>.
        </p>
      )}
      {listed.length > 0 && (
        <ul aria-label={`State of ${scopeWords(account)}`}>
          {listed.map(([name, json]) => (
            <li key={name}>
              <button
                type="button"
                aria-pressed={edited.value === name}
                aria-label={`Edit the value ${name}`}
                onClick={open(name)}
              >
                <bdi>{name}</bdi>
              </button>
              <code>
                <bdi>{json.slice(0, 300)}</bdi>
              </code>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface ValueEditorProps {
  readonly account: string | null;
  /** Empty for a new value, whose name is asked for. */
  readonly name: string;
  readonly json: string | undefined;
  readonly onClose: () => void;
}

function ValueEditor({ account, name: known, json = '', onClose }: ValueEditorProps) {
  const given = useSignal(known);
  const name = given.value;
  // Not PUT /state/NAME, because a URL can't contain the names . and ..
  const change = { method: 'PATCH', path: '/state', account } as const;
  const whose = scopeWords(account);
  return (
    <JsonEditor
      name="Value"
      label={`${known === '' ? 'Its value' : known}, as JSON`}
      start={json}
      set={{
        call: (json) => ({ ...change, body: `{"set":{${JSON.stringify(name)}:${json}}}` }),
        done: `${name} is set for ${whose}.`,
      }}
      remove={{
        call: { ...change, body: { delete: [name] } },
        done: `${name} is removed for ${whose}.`,
        isDisabled: known === '',
      }}
      onClose={onClose}
    >
      {known === '' && (
        <label class="field">
          <span>Name</span>
          <input
            type="text"
            required
            spellcheck={false}
            placeholder="outcomes"
            onInput={({ currentTarget }) => {
              given.value = currentTarget.value;
            }}
          />
        </label>
      )}
    </JsonEditor>
  );
}
