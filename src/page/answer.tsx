import { useSignal } from '@preact/signals';
import type { FaultType } from '../mock/fault.ts';
import type { ScriptedResponse } from '../mock/scripted-response.ts';
import { commandOf } from './client.ts';
import { CopyLine, Problem, Select, useAction } from './controls.tsx';
import { isJson } from './json.ts';
import { operations, scope } from './mock.ts';
import { BALANCE, FAULT_WORDS, responseWords, scopeWords } from './words.ts';

/** A usual answer. */
export interface Preset {
  /** On the button. */
  readonly name: string;
  readonly response: ScriptedResponse;
  /** What is next, in words. */
  readonly words: string;
}

/** The usual answers. */
export const PRESETS: readonly Preset[] = [
  { name: '503 twice', response: { status: 503, times: 2 }, words: '503, twice' },
  { name: '429', response: { status: 429 }, words: '429' },
  { name: 'Slow 2 s', response: { delay: 2000 }, words: 'the normal answer after 2 s' },
  { name: 'No answer', response: { fault: 'hang' }, words: 'no answer' },
  { name: 'Connection reset', response: { fault: 'reset' }, words: 'a connection reset' },
  { name: 'Half a body', response: { fault: 'truncate' }, words: 'half a body' },
];

/** The fields of the form for an answer, as they were typed. */
export type AnswerFields = Partial<
  Record<'operation' | 'status' | 'delay' | 'fault' | 'body' | 'times' | 'always', string>
>;

/** The scripted response that the fields describe. What is empty is left out. */
export function responseOf(fields: AnswerFields): ScriptedResponse {
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
export function AnswerForm({ onClose }: { onClose: () => void }) {
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
