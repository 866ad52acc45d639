import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { ControlCall } from './control-api.ts';
import { ActButton, ActForm, focus } from './controls.tsx';
import { jsonMistake, prettyJson } from './json.ts';

interface JsonEditorProps {
  readonly name: string;
  readonly label: string;
  /** The current text. It is shown until it is edited. */
  readonly start: string;
  readonly set: { readonly call: (text: string) => ControlCall; readonly done: string };
  readonly remove: {
    readonly call: ControlCall;
    readonly done: string;
    readonly isDisabled: boolean;
  };
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** A form for JSON that is checked while it is written, and whose numbers keep their digits. */
export function JsonEditor(props: JsonEditorProps) {
  const { name, label, start, set, remove, onClose, children } = props;
  const edited = useSignal<{ text: string; start: string } | null>(null);
  const id = useId();
  const text = edited.value?.text ?? (start.includes('\n') ? start : prettyJson(start));
  const mistake = jsonMistake(text);
  const isBlank = text.trim() === '';
  const isOutdated = edited.value !== null && edited.value.start !== start;
  return (
    <ActForm aria-label={name} call={set.call(text)} done={set.done} onDone={onClose}>
      {children}
      <label class="field">
        <span>{label}</span>
        <textarea
          rows={Math.min(16, Math.max(6, text.split('\n').length))}
          spellcheck={false}
          value={text}
          ref={focus}
          aria-invalid={mistake !== '' && !isBlank}
          aria-describedby={id}
          onInput={({ currentTarget }) => {
            edited.value = { text: currentTarget.value, start: edited.value?.start ?? start };
          }}
        />
      </label>
      <p id={id} role="status" class={mistake === '' || isBlank ? 'quiet' : 'problem'}>
        {isBlank ? 'Write it as JSON' : mistake || 'This is valid JSON'}.
        {isOutdated && ' It has changed in the mock since you began to edit it.'}
      </p>
      <div class="buttons">
        <button type="submit" class="primary" disabled={mistake !== ''}>
          Set
        </button>
        <ActButton
          call={remove.call}
          done={remove.done}
          onDone={onClose}
          disabled={remove.isDisabled}
        >
          Remove
        </ActButton>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </ActForm>
  );
}
