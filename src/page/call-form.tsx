import type { ComponentChildren, ComponentProps } from 'preact';
import { commandOf } from './control-api.ts';
import { ActForm, CopyLine } from './controls.tsx';
import { scopeWords } from './words.ts';

interface CallFormProps extends ComponentProps<typeof ActForm> {
  readonly verb: string;
  readonly onClose: () => void;
  readonly bodyLabel?: string;
  readonly bodyPlaceholder: string;
  /** If the component writes the body as well. */
  readonly body?: string;
  readonly children: ComponentChildren;
}

/** A form for a control API call: fields, a body, and the equivalent command. */
export function CallForm(props: CallFormProps) {
  const { verb, onClose, bodyPlaceholder, body, children, ...form } = props;
  const { bodyLabel = 'Body, as JSON or text', ...attributes } = form;
  const { call } = attributes;
  return (
    <ActForm {...attributes}>
      {children}
      <label class="field">
        <span>{bodyLabel}</span>
        <textarea
          name="body"
          rows={Math.min(12, Math.max(3, body?.split('\n').length ?? 0))}
          spellcheck={false}
          placeholder={bodyPlaceholder}
          {...(body !== undefined && { value: body })}
        />
      </label>
      <CopyLine text={commandOf(call)} label="Copy the command of this form" />
      <div class="buttons">
        <button type="submit" class="primary">
          {verb} for {scopeWords(call.account ?? null)}
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </ActForm>
  );
}
