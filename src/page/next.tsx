import { useSignal } from '@preact/signals';
import { FAULTS } from '../mock/faults.ts';
import type { ScriptedResponse } from '../mock/scripted-response.ts';
import { BalanceRow } from './balance.tsx';
import { commandOf } from './client.ts';
import { ActButton, ActForm, ActSelect, CopyLine, command, Select } from './controls.tsx';
import { isJson } from './json.ts';
import { choose, mock } from './mock.ts';
import {
  BALANCE,
  faultType,
  limitWords,
  nextWords,
  responseWords,
  scopeWords,
  timesWords,
} from './words.ts';

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
      <RateLimitRow />
      <CommandRow />
    </section>
  );
}

/** Chooses the account that the controls are for, and makes new ones. */
function AccountRow() {
  const { accounts, scope } = mock.value;
  const made = useSignal({ id: '', apikey: '' });
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
          value={scope ?? ''}
          choices={[['', 'all accounts'], ...accounts.map(({ id }) => [id, id] as const)]}
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
        {made.value.id === scope && (
          <div class="notice">
            <p>The key of the new account. It is shown only here and only now.</p>
            <CopyLine text={made.value.apikey} label="Copy the key of the new account" />
          </div>
        )}
      </div>
    </div>
  );
}

/** The usual answers, and what their buttons say. */
const PRESETS: readonly (readonly [name: string, response: ScriptedResponse])[] = [
  ['503 twice', { status: 503, times: 2 }],
  ['429', { status: 429 }],
  ['Slow 2 s', { delay: 2000 }],
  ['No answer', { fault: 'hang' }],
  ['Connection reset', { fault: 'reset' }],
  ['Half a body', { fault: 'truncate' }],
];

/** Scripts a response for an account. */
const scriptCall = (body: ScriptedResponse, account: string | null) =>
  ({ method: 'POST', path: '/responses', body, account }) as const;

/** Buttons for the usual answers, and the form for the others. */
function AnswerRow() {
  const isOpen = useSignal(false);
  const { scope } = mock.value;
  const toggle = () => {
    isOpen.value = !isOpen.value;
  };
  return (
    <fieldset class="row">
      <legend class="name">Next answer</legend>
      <div class="buttons">
        {PRESETS.map(([name, response]) => (
          <ActButton
            key={name}
            call={scriptCall(response, scope)}
            done={nextWords(response, scope)}
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

/** The fields for text of the form for an answer, and what applies while they are empty. */
const FIELDS = [
  ['status', 'Status', 'normal'],
  ['delay', 'Delay in ms', 'none'],
  ['times', 'Times', '1, or always'],
] as const;

const FAULT_CHOICES = Object.entries(FAULTS).map(
  ([name, { description }]) => [name, `${name}: ${description}`] as const,
);

/** The scripted response that the fields of a form describe. What is empty is left out. */
function responseOf(form: HTMLFormElement): ScriptedResponse {
  const fields = [...new FormData(form)].flatMap(([name, value]) => {
    const text = `${value}`;
    if (text === '') return [];
    if (name === 'body') return [[name, isJson(text) ? JSON.parse(text) : text]];
    // The control API says what is wrong with a text that should be a number.
    return [[name, Number.isNaN(Number(text)) ? text : Number(text)]];
  });
  const { fault, duration, ...others } = Object.fromEntries(fields);
  if (fault === undefined) return others;
  // Its field is still there when another fault has just been chosen.
  const hasDuration = fault === 'dribble' && duration !== undefined;
  return { ...others, fault: hasDuration ? { type: fault, duration } : fault };
}

/** The form for an answer that has no button. */
function AnswerForm({ onClose }: { onClose: () => void }) {
  const response = useSignal<ScriptedResponse>({ operation: BALANCE });
  const { operations, scope } = mock.value;
  const call = scriptCall(response.value, scope);
  const type = faultType(response.value);
  const fault = type && FAULTS[type];
  const duration = fault && 'duration' in fault ? fault.duration : undefined;
  return (
    <ActForm
      aria-label="Another answer"
      call={call}
      done={nextWords(response.value, scope)}
      onInput={({ currentTarget }) => {
        response.value = responseOf(currentTarget);
      }}
    >
      <div class="fields">
        <label class="field">
          <span>Operation</span>
          <Select
            name="operation"
            value={response.value.operation ?? BALANCE}
            choices={operations.map(({ name }) => [name, name])}
          />
        </label>
        <label class="field">
          <span>Fault</span>
          <Select name="fault" choices={[['', 'none'], ...FAULT_CHOICES]} />
        </label>
        {duration !== undefined && (
          <label class="field">
            <span>Duration in ms</span>
            <input type="text" name="duration" placeholder={`${duration}`} />
          </label>
        )}
        {FIELDS.map(([name, words, placeholder]) => (
          <label class="field" key={name}>
            <span>{words}</span>
            <input type="text" name={name} placeholder={placeholder} />
          </label>
        ))}
      </div>
      <label class="field">
        <span>Body, as JSON or text</span>
        <textarea name="body" rows={3} spellcheck={false} placeholder="normal" />
      </label>
      <CopyLine text={commandOf(call)} label="Copy the command of this form" />
      <div class="buttons">
        <button type="submit" class="primary">
          Add for {scopeWords(scope)}
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </ActForm>
  );
}

/** What is scripted, and how much of it is left. */
function ScriptedRow() {
  const { scope, own, service } = mock.value;
  const isNothing = service.responses.length === 0 && !own?.responses.length;
  return (
    <div class="row">
      <h3 class="name">Scripted</h3>
      {isNothing && <p class="quiet">Nothing. The next answers are the normal ones.</p>}
      {own !== null && <ScriptedList account={scope} responses={own.responses} />}
      <ScriptedList account={null} responses={service.responses} />
    </div>
  );
}

/** The limits to choose from, as a number of requests and ms. */
const LIMITS = ['1/1000', '5/60000', '100/60000'];

/** How many requests each account may make. */
function RateLimitRow() {
  const { scope: account, own, service } = mock.value;
  const { limit, window } = (own ?? service).rateLimit;
  const value = limit === null ? '' : `${limit}/${window}`;
  const choices = [...new Set([...LIMITS, value])].filter(Boolean);
  return (
    <div class="row">
      <label class="name" for="rate-limit">
        Rate limit
      </label>
      <div class="buttons">
        <ActSelect
          id="rate-limit"
          value={value}
          choices={[['', 'not set'], ...choices.map((one) => [one, limitWords(one)] as const)]}
          call={(chosen) => {
            const [most, time] = chosen.split('/').map(Number);
            const to = { path: '/rate-limit', account } as const;
            if (chosen === '') return { ...to, method: 'DELETE' };
            return { ...to, method: 'PUT', body: { limit: most, window: time } };
          }}
          done={(chosen) =>
            chosen === ''
              ? `No rate limit is set for ${scopeWords(account)}.`
              : `Each account may make ${limitWords(chosen)}: ${scopeWords(account)}.`
          }
        />
      </div>
    </div>
  );
}

interface ListProps {
  readonly account: string | null;
  readonly responses: readonly ScriptedResponse[];
}

function ScriptedList({ account, responses }: ListProps) {
  if (responses.length === 0) return null;
  const whose = scopeWords(account);
  const removal = (path: string) => ({ method: 'DELETE', path, account }) as const;
  return (
    <div class="scripted">
      <ol aria-label={`Scripted for ${whose}`}>
        {responses.map((response, at) => {
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
      {responses.length > 1 && (
        <ActButton call={removal('/responses')} done={`Nothing is scripted for ${whose}.`}>
          Remove these {responses.length}
        </ActButton>
      )}
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
