import { useSignal } from '@preact/signals';
import type { FaultType } from '../mock/fault.ts';
import type { ScriptedResponse } from '../mock/scripted-response.ts';
import { BalanceRow } from './balance.tsx';
import { commandOf } from './client.ts';
import { ActButton, CopyLine, command, Problem, Select, useAction } from './controls.tsx';
import { isJson } from './json.ts';
import { accounts, choose, operations, own, scope, service } from './mock.ts';
import { BALANCE, FAULT_WORDS, responseWords, scopeWords, timesWords } from './words.ts';

/** What happens next: the controls of the mock. */
export function NextPanel() {
  return (
    <section class="next" aria-labelledby="next-title">
      <h2 id="next-title" class="hidden">
        What happens next
      </h2>
      <AccountRow />
      <BalanceRow />
      <AnswerRow />
      <ScriptedRow />
      <CommandRow />
    </section>
  );
}

/** Chooses the account that the controls are for, and makes new ones. */
function AccountRow() {
  const made = useSignal({ id: '', apikey: '' });
  const hide = () => {
    made.value = { id: '', apikey: '' };
  };
  const ids = accounts.value.map(({ id }) => id);
  const select = (text: string) => {
    made.value = JSON.parse(text);
    choose(made.value.id);
  };
  return (
    <div class="row">
      <label class="name" for="scope">
        Account
      </label>
      <div class="buttons">
        <Select
          id="scope"
          value={scope.value ?? ''}
          choices={[['', 'all accounts'], ...ids.map((id) => [id, id] as const)]}
          onChoose={(id) => choose(id || null)}
        />
        <ActButton
          call={{ method: 'POST', path: '/accounts' }}
          done="Made an account."
          onDone={select}
        >
          New account
        </ActButton>
      </div>
      <div role="status">
        {/* A reset removes the account, and its key is of no use any more. */}
        {ids.includes(made.value.id) && (
          <div class="notice">
            <p>The key of the new account. It is shown only here and only now.</p>
            <CopyLine text={made.value.apikey} label="Copy the key of the new account" />
            <button type="button" onClick={hide}>
              Hide the key
            </button>
          </div>
        )}
      </div>
    </div>
  );
}

/** A usual answer. */
interface Preset {
  /** On the button. */
  readonly name: string;
  readonly response: ScriptedResponse;
  /** What is next, in words. */
  readonly words: string;
}

/** The usual answers. */
const PRESETS: readonly Preset[] = [
  { name: '503 twice', response: { status: 503, times: 2 }, words: '503, twice' },
  { name: '429', response: { status: 429 }, words: '429' },
  { name: 'Slow 2 s', response: { delay: 2000 }, words: 'the normal answer after 2 s' },
  { name: 'No answer', response: { fault: 'hang' }, words: 'no answer' },
  { name: 'Connection reset', response: { fault: 'reset' }, words: 'a connection reset' },
  { name: 'Half a body', response: { fault: 'truncate' }, words: 'half a body' },
];

/** Buttons for the usual answers, and the form for the others. */
function AnswerRow() {
  const isOpen = useSignal(false);
  const account = scope.value;
  const toggle = () => {
    isOpen.value = !isOpen.value;
  };
  return (
    <fieldset class="row">
      <legend class="name">Next answer</legend>
      <div class="buttons">
        {PRESETS.map(({ name, response, words }) => (
          <ActButton
            key={name}
            call={{ method: 'POST', path: '/responses', body: response, account }}
            done={`Next for ${BALANCE}, ${scopeWords(account)}: ${words}.`}
          >
            {name}
          </ActButton>
        ))}
        <button
          type="button"
          aria-expanded={isOpen.value}
          aria-controls="answer-form"
          onClick={toggle}
        >
          Other…
        </button>
      </div>
      <div id="answer-form">{isOpen.value && <AnswerForm onClose={toggle} />}</div>
    </fieldset>
  );
}

/** The fields of the form for an answer, as they were typed. */
type AnswerFields = Partial<
  Record<'operation' | 'status' | 'delay' | 'fault' | 'body' | 'times' | 'always', string>
>;

/** The scripted response that the fields describe. What is empty is left out. */
function responseOf(fields: AnswerFields): ScriptedResponse {
  const { operation = BALANCE, status, delay, fault, body, times, always } = fields;
  return {
    operation,
    ...(status && { status: Number(status) }),
    ...(delay && { delay: Number(delay) }),
    ...(fault && { fault: fault as FaultType }),
    ...(body && { body: isJson(body) ? JSON.parse(body) : body }),
    ...(always ? { times: 'always' as const } : times && { times: Number(times) }),
  };
}

const FAULTS = Object.entries(FAULT_WORDS).map(
  ([name, words]) => [name, `${name}: ${words}`] as const,
);

/** The form for an answer that has no button. */
function AnswerForm({ onClose }: { onClose: () => void }) {
  const action = useAction();
  const fields = useSignal<AnswerFields>({ times: '1' });
  const { body = '', always } = fields.value;
  const response = responseOf(fields.value);
  const account = scope.value;
  const call = { method: 'POST', path: '/responses', body: response, account } as const;
  const script = (event: SubmitEvent) => {
    event.preventDefault();
    const words = responseWords(response);
    void action.run(call, `Next for ${response.operation}, ${scopeWords(account)}: ${words}.`);
  };
  const bodyType = isJson(body) ? 'JSON' : 'text';
  return (
    // The control API says what is wrong, and how to correct it.
    <form
      class="form"
      noValidate
      aria-label="Another answer"
      onSubmit={script}
      onInput={({ currentTarget }) => {
        fields.value = Object.fromEntries(new FormData(currentTarget)) as AnswerFields;
      }}
    >
      <div class="fields">
        <label class="field wide">
          <span>Operation</span>
          <Select
            name="operation"
            value={response.operation}
            choices={operations.value.map(({ name }) => [name, name])}
          />
        </label>
        <label class="field">
          <span>Status</span>
          <input type="number" name="status" min={200} max={599} placeholder="normal" />
        </label>
        <label class="field">
          <span>Delay in ms</span>
          <input type="number" name="delay" min={0} placeholder="none" />
        </label>
        <label class="field wide">
          <span>Fault</span>
          <Select name="fault" choices={[['', 'none'], ...FAULTS]} />
        </label>
        <label class="field">
          <span>Times</span>
          <input type="number" name="times" min={1} defaultValue="1" readOnly={always === 'on'} />
        </label>
        <label class="check">
          <input type="checkbox" name="always" />
          always
        </label>
      </div>
      <label class="field">
        <span>
          Body{' '}
          <span class="quiet">
            {body === '' ? '(empty: the normal one)' : `(is sent as ${bodyType})`}
          </span>
        </span>
        <textarea name="body" rows={3} spellcheck={false} />
      </label>
      <CopyLine text={commandOf(call)} label="Copy the command of this form" />
      <div class="buttons">
        <button type="submit" class="primary">
          Add for {scopeWords(account)}
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Problem text={action.problem} />
    </form>
  );
}

/** What is scripted, and how much of it is left. */
function ScriptedRow() {
  const lists = [
    { account: scope.value, responses: own.value?.responses ?? [] },
    { account: null, responses: service.value.responses },
  ].filter(({ responses }) => responses.length > 0);
  return (
    <div class="row">
      <h3 class="name">Scripted</h3>
      {lists.length === 0 && <p class="quiet">Nothing. The next answers are the normal ones.</p>}
      {lists.map((list) => (
        <ScriptedList key={list.account ?? ''} {...list} />
      ))}
    </div>
  );
}

/** The number of scripted responses that are shown. */
const MOST = 50;

interface ListProps {
  readonly account: string | null;
  readonly responses: readonly ScriptedResponse[];
}

function ScriptedList({ account, responses }: ListProps) {
  const more = responses.length - MOST;
  const whose = scopeWords(account);
  const removal = (path: string) => ({ method: 'DELETE', path, account }) as const;
  return (
    <div class="scripted">
      <ol aria-label={`Scripted for ${whose}`}>
        {responses.slice(0, MOST).map((response, at) => {
          const { operation = BALANCE } = response;
          const words = responseWords(response);
          return (
            <li key={at}>
              <code>
                <bdi>{operation}</bdi>
              </code>
              <strong>
                <bdi>{words}</bdi>
              </strong>
              <span class="quiet">{timesWords(response)}</span>
              <span class="quiet">{whose}</span>
              <ActButton
                call={removal(`/responses/${at}`)}
                done={`Removed ${words}, which was scripted for ${whose}.`}
                aria-label={`Remove ${words} for ${operation}`}
              >
                Remove
              </ActButton>
            </li>
          );
        })}
      </ol>
      <div class="buttons">
        {more > 0 && <span class="quiet">and {more} more</span>}
        {responses.length > 1 && (
          <ActButton call={removal('/responses')} done={`Nothing is scripted for ${whose}.`}>
            Remove these {responses.length}
          </ActButton>
        )}
      </div>
    </div>
  );
}

/** The last thing that the page did, as the line for a shell that does the same. */
function CommandRow() {
  const last = command.value;
  return (
    <div class="row command">
      <h3 class="name">As a command</h3>
      <div role="status">
        {last === null ? (
          <p class="quiet">What you do on this page appears here as a curl line.</p>
        ) : (
          <>
            <CopyLine text={last.line} label="Copy the command" />
            <p class={last.hasFailed ? 'problem' : 'quiet'}>{last.outcome}</p>
          </>
        )}
      </div>
    </div>
  );
}
