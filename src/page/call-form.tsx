import type { ComponentChildren, ComponentProps } from 'preact';
import { commandOf } from './client.ts';
import { ActForm, CopyLine } from './controls.tsx';
import { scopeWords } from './words.ts';

interface CallFormProps extends ComponentProps<typeof ActForm> {
  readonly verb: string;
  readonly onClose: () => void;
  readonly bodyPlaceholder: string;
  readonly children: ComponentChildren;
}

/** A form for a control API call: fields, a body, and the equivalent command. */
export function CallForm({ verb, onClose, bodyPlaceholder, children, ...form }: CallFormProps) {
  const { call } = form;
  return (
    <ActForm {...form}>
      {children}
      <label class="field">
        <span>Body, as JSON or text</span>
        <textarea name="body" rows={3} spellcheck={false} placeholder={bodyPlaceholder} />
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
