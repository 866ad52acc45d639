import { useState } from 'preact/hooks';
import type { FaultType } from '../../mock/fault.ts';
import { forScope, scopeWords, useAction, usePage } from './action.ts';
import { type AnswerFields, isJson, responseOf, responseWords } from './answer-fields.ts';
import { CopyLine } from './copy-button.tsx';
import { FAULT_WORDS } from './entry-words.ts';
import { BALANCE } from './page-state.ts';
import { Problem } from './problem.tsx';

const START: AnswerFields = {
  operation: BALANCE,
  status: '',
  delay: '',
  fault: '',
  body: '',
  times: '1',
  isAlways: false,
};

/** The form for an answer that has no button. */
export function AnswerForm({ onClose }: { onClose: () => void }) {
  const { model, state } = usePage();
  const { scope, operations } = state;
  const action = useAction();
  const [fields, setFields] = useState(START);
  const change = (change: Partial<AnswerFields>) => setFields({ ...fields, ...change });
  const response = responseOf(fields);
  const body = JSON.stringify(response);
  const call = { method: 'POST', path: '/responses', body, ...forScope(scope) } as const;
  const script = (event: SubmitEvent) => {
    event.preventDefault();
    const words = responseWords(response);
    void action.run(call, `Next for ${fields.operation}, ${scopeWords(scope)}: ${words}.`);
  };
  return (
    // The control API says what is wrong, and how to correct it.
    <form class="form" noValidate onSubmit={script} aria-label="Another answer">
      <div class="fields">
        <label class="field wide">
          <span>Operation</span>
          <select
            value={fields.operation}
            onChange={(event) => change({ operation: event.currentTarget.value })}
          >
            {operations.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <NumberField
          label="Status"
          {...{ min: 200, max: 599, placeholder: 'normal', value: fields.status }}
          onInput={(status) => change({ status })}
        />
        <NumberField
          label="Delay in ms"
          {...{ min: 0, placeholder: 'none', value: fields.delay }}
          onInput={(delay) => change({ delay })}
        />
        <label class="field wide">
          <span>Fault</span>
          <select
            value={fields.fault}
            onChange={(event) => change({ fault: event.currentTarget.value as FaultType | '' })}
          >
            <option value="">none</option>
            {Object.entries(FAULT_WORDS).map(([fault, words]) => (
              <option key={fault} value={fault}>
                {fault}: {words}
              </option>
            ))}
          </select>
        </label>
        <NumberField
          label="Times"
          {...{ min: 1, value: fields.times, disabled: fields.isAlways }}
          onInput={(times) => change({ times })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={fields.isAlways}
            onChange={(event) => change({ isAlways: event.currentTarget.checked })}
          />
          always
        </label>
      </div>
      <label class="field">
        <span>
          Body{' '}
          <span class="quiet">
            {fields.body === ''
              ? '(empty: the normal one)'
              : `(is sent as ${isJson(fields.body) ? 'JSON' : 'text'})`}
          </span>
        </span>
        <textarea
          rows={3}
          spellcheck={false}
          value={fields.body}
          onInput={(event) => change({ body: event.currentTarget.value })}
        />
      </label>
      <CopyLine line={model.client.command(call)} label="Copy the command of this form" />
      <div class="buttons">
        <button type="submit" class="primary" disabled={action.isBusy}>
          Add for {scopeWords(scope)}
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Problem text={action.problem} />
    </form>
  );
}

interface NumberProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly min: number;
  readonly max?: number;
  readonly placeholder?: string;
  readonly disabled?: boolean;
}

function NumberField({ label, onInput, ...rest }: NumberProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input type="number" {...rest} onInput={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
}
