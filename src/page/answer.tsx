import { useSignal } from '@preact/signals';
import type { FaultType } from '../mock/fault.ts';
import type { ScriptedResponse } from '../mock/scripted-response.ts';
import { commandOf } from './client.ts';
import { CopyLine, Problem, useAction } from './controls.tsx';
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
export interface AnswerFields {
  readonly operation: string;
  readonly status: string;
  readonly delay: string;
  readonly fault: string;
  readonly body: string;
  readonly times: string;
  readonly isAlways: boolean;
}

const START: AnswerFields = {
  operation: BALANCE,
  status: '',
  delay: '',
  fault: '',
  body: '',
  times: '1',
  isAlways: false,
};

/** The scripted response that the fields describe. What is empty is left out. */
export function responseOf(fields: AnswerFields): ScriptedResponse {
  const { operation, status, delay, fault, body, times, isAlways } = fields;
  return {
    operation,
    ...(status !== '' && { status: Number(status) }),
    ...(delay !== '' && { delay: Number(delay) }),
    ...(fault !== '' && { fault: fault as FaultType }),
    ...(body !== '' && { body: isJson(body) ? JSON.parse(body) : body }),
    ...(isAlways ? { times: 'always' as const } : times !== '' && { times: Number(times) }),
  };
}

/** The form for an answer that has no button. */
export function AnswerForm({ onClose }: { onClose: () => void }) {
  const action = useAction();
  const fields = useSignal(START);
  const { operation, fault, body, isAlways } = fields.value;
  const change = (change: Partial<AnswerFields>) => {
    fields.value = { ...fields.value, ...change };
  };
  const response = responseOf(fields.value);
  const account = scope.value;
  const call = { method: 'POST', path: '/responses', body: response, account } as const;
  const script = (event: SubmitEvent) => {
    event.preventDefault();
    const words = responseWords(response);
    void action.run(call, `Next for ${operation}, ${scopeWords(account)}: ${words}.`);
  };
  const bodyType = isJson(body) ? 'JSON' : 'text';
  const number = (name: 'status' | 'delay' | 'times') => ({
    type: 'number' as const,
    value: fields.value[name],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      change({ [name]: currentTarget.value }),
  });
  return (
    // The control API says what is wrong, and how to correct it.
    <form class="form" noValidate onSubmit={script} aria-label="Another answer">
      <div class="fields">
        <label class="field wide">
          <span>Operation</span>
          <select
            value={operation}
            onChange={(event) => change({ operation: event.currentTarget.value })}
          >
            {operations.value.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Status</span>
          <input {...number('status')} min={200} max={599} placeholder="normal" />
        </label>
        <label class="field">
          <span>Delay in ms</span>
          <input {...number('delay')} min={0} placeholder="none" />
        </label>
        <label class="field wide">
          <span>Fault</span>
          <select value={fault} onChange={(event) => change({ fault: event.currentTarget.value })}>
            <option value="">none</option>
            {Object.entries(FAULT_WORDS).map(([name, words]) => (
              <option key={name} value={name}>
                {name}: {words}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Times</span>
          <input {...number('times')} min={1} disabled={isAlways} />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isAlways}
            onChange={(event) => change({ isAlways: event.currentTarget.checked })}
          />
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
        <textarea
          rows={3}
          spellcheck={false}
          value={body}
          onInput={(event) => change({ body: event.currentTarget.value })}
        />
      </label>
      <CopyLine line={commandOf(call)} label="Copy the command of this form" />
      <div class="buttons">
        <button type="submit" class="primary" disabled={action.isBusy}>
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
