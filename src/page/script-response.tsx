import { useSignal } from '@preact/signals';
import { parseExact } from '../mock/json/exact-json.ts';
import type { MomoOperation } from '../mock/operations/operation-name.ts';
import { FAULTS, optionsOf } from '../mock/responses/faults.ts';
import type { ScriptedResponse } from '../mock/responses/scripted-response.ts';
import { ANY_OPERATION } from '../mock/responses/source-words.ts';
import { ActButton, CallForm, Select } from './controls.tsx';
import { isJson } from './json.ts';
import { mock, type Scripted } from './mock.ts';
import { nextWords, responseWords, scopeWords } from './words.ts';

const COMMON_RESPONSES: readonly (readonly [name: string, response: ScriptedResponse])[] = [
  ['503 twice', { status: 503, times: 2 }],
  ['429', { status: 429 }],
  ['Slow 2 s', { delay: 2000 }],
  ['No response', { fault: 'hang' }],
  ['Connection reset', { fault: 'reset' }],
  ['Half a body', { fault: 'truncate' }],
];

const scriptCall = (body: ScriptedResponse, account: string | null) =>
  ({ method: 'POST', path: '/responses', body, account }) as const;

export function ScriptRow() {
  const isOpen = useSignal(false);
  /** Empty for any operation. */
  const chosen = useSignal('');
  const { scope, operations } = mock.value;
  const names = operations.map(({ name }) => name as MomoOperation);
  const operation = names.find((name) => name === chosen.value);
  const of = (response: ScriptedResponse): ScriptedResponse =>
    operation === undefined ? response : { operation, ...response };
  const toggle = () => {
    isOpen.value = !isOpen.value;
  };
  return (
    <fieldset class="row">
      <legend class="name">Next response</legend>
      <div class="buttons">
        <Select
          aria-label="Operation of the next response"
          value={operation ?? ''}
          choices={[['', ANY_OPERATION], ...names.map((name) => [name, name] as const)]}
          onChoose={(name) => {
            chosen.value = name;
          }}
        />
        {COMMON_RESPONSES.map(([name, response]) => (
          <ActButton
            key={name}
            call={scriptCall(of(response), scope)}
            done={nextWords(of(response), scope)}
          >
            {name}
          </ActButton>
        ))}
        <button
          type="button"
          aria-expanded={isOpen.value}
          aria-controls="response-form"
          onClick={toggle}
        >
          Other…
        </button>
      </div>
      <div id="response-form">{isOpen.value && <ResponseForm of={of} onClose={toggle} />}</div>
    </fieldset>
  );
}

const TEXT_FIELDS = [
  ['status', 'Status', 'normal'],
  ['delay', 'Delay in ms', 'none'],
  ['times', 'Times', '1, or always'],
] as const;

const FAULT_CHOICES = Object.entries(FAULTS).map(
  ([name, { description }]) => [name, `${name}: ${description}`] as const,
);

/** The scripted response in a form. Empty fields are omitted. */
function responseOf(form: HTMLFormElement): ScriptedResponse {
  const response: Record<string, unknown> = {};
  const options: Record<string, unknown> = {};
  for (const [name, value] of new FormData(form)) {
    const text = `${value}`;
    const [field = '', option] = name.split('.');
    // The field of another fault is still there right after the user chooses this one.
    if (text === '' || (option !== undefined && field !== response.fault)) continue;
    const to = option === undefined ? response : options;
    if (name === 'afterHandler') to.afterHandler = true;
    else if (name === 'body') to.body = isJson(text) ? parseExact(text) : text;
    // The control API explains what is wrong with text in place of a number.
    else to[option ?? field] = Number.isNaN(Number(text)) ? text : Number(text);
  }
  if (Object.keys(options).length > 0) response.fault = { type: response.fault, ...options };
  return response;
}

interface ResponseFormProps {
  /** The response of the chosen operation. */
  readonly of: (response: ScriptedResponse) => ScriptedResponse;
  readonly onClose: () => void;
}

function ResponseForm({ of, onClose }: ResponseFormProps) {
  const given = useSignal<ScriptedResponse>({});
  const { scope } = mock.value;
  const response = of(given.value);
  const { fault } = response;
  const type = typeof fault === 'object' ? fault.type : fault;
  const options = Object.entries(type === undefined ? {} : optionsOf(type)).map(
    ([name, { label, default: placeholder }]) =>
      [`${type}.${name}`, label, `${placeholder}`] as const,
  );
  return (
    <CallForm
      aria-label="Another response"
      call={scriptCall(response, scope)}
      done={nextWords(response, scope)}
      verb="Add"
      onClose={onClose}
      bodyPlaceholder="normal"
      onInput={({ currentTarget }) => {
        given.value = responseOf(currentTarget);
      }}
    >
      <div class="fields">
        <label class="field">
          <span>Fault</span>
          <Select name="fault" choices={[['', 'none'], ...FAULT_CHOICES]} />
        </label>
        {[...options, ...TEXT_FIELDS].map(([name, words, placeholder]) => (
          <label class="field" key={name}>
            <span>{words}</span>
            <input type="text" name={name} placeholder={placeholder} />
          </label>
        ))}
      </div>
      <label class="check">
        <input type="checkbox" name="afterHandler" />
        <span>Run the handler first: the payment is made, and the client gets this response</span>
      </label>
    </CallForm>
  );
}

export function ScriptedRow() {
  const { scope, accountConfig, allConfig } = mock.value;
  const isNothing = allConfig.responses.length === 0 && !accountConfig?.responses.length;
  // An account may have scripted responses of its own.
  const nothing =
    scope === null ? 'Nothing for all accounts.' : 'Nothing. The next responses are normal.';
  return (
    <div class="row">
      <h3 class="name">Scripted</h3>
      {isNothing && <p class="quiet">{nothing}</p>}
      {accountConfig !== null && (
        <ScriptedList account={scope} responses={accountConfig.responses} />
      )}
      <ScriptedList account={null} responses={allConfig.responses} />
    </div>
  );
}

interface ListProps {
  readonly account: string | null;
  readonly responses: readonly Scripted<ScriptedResponse>[];
}

function ScriptedList({ account, responses }: ListProps) {
  if (responses.length === 0) return null;
  const whose = scopeWords(account);
  const removal = (path: string) => ({ method: 'DELETE', path, account }) as const;
  return (
    <div class="scripted">
      <ol aria-label={`Scripted for ${whose}`}>
        {responses.map(({ id, given: response }) => {
          const { operation = ANY_OPERATION, times = 1 } = response;
          const words = responseWords(response);
          return (
            <li key={id}>
              <code>{operation}</code>
              <strong>{words}</strong>
              <span class="quiet">{times === 'always' ? times : `${times} left`}</span>
              <span class="quiet">{whose}</span>
              <ActButton
                call={removal(`/responses/${id}`)}
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
