import { useState } from 'preact/hooks';
import { forScope, scopeWords, useAction } from './action.ts';
import { checkJson, prettyJson } from './json-check.ts';
import { Problem } from './problem.tsx';

interface EditorProps {
  /** The balance that there is, which is shown until it is edited. */
  readonly start: string;
  /** Whether a balance was set, which can be removed. */
  readonly isSet: boolean;
  readonly scope: string | null;
  readonly onClose: () => void;
}

/** Edits the balance as JSON. */
export function BalanceEditor({ start, isSet, scope, onClose }: EditorProps) {
  const action = useAction();
  const [edited, setEdited] = useState<string>();
  const text = edited ?? (start.includes('\n') ? start : prettyJson(start));
  const mistake = checkJson(text);
  const act = async (call: Parameters<typeof action.run>[0], done: string) => {
    if ((await action.run(call, done)) !== undefined) onClose();
  };
  const set = (event: SubmitEvent) => {
    event.preventDefault();
    const call = { method: 'PUT', path: '/balance', body: text, ...forScope(scope) } as const;
    if (mistake === undefined) void act(call, `The balance is set for ${scopeWords(scope)}.`);
  };
  const remove = () => {
    const call = { method: 'DELETE', path: '/balance', ...forScope(scope) } as const;
    void act(call, `No balance is set for ${scopeWords(scope)}: the file is served.`);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
  };
  return (
    <form class="form" onSubmit={set} onKeyDown={onKeyDown} aria-label="Balance">
      <label class="field">
        <span>Balance of {scopeWords(scope)}: the whole body, as JSON</span>
        <textarea
          rows={Math.min(16, Math.max(6, text.split('\n').length))}
          spellcheck={false}
          value={text}
          ref={focusOnce}
          aria-invalid={mistake !== undefined}
          aria-describedby="balance-mistake"
          onInput={(event) => {
            setEdited(event.currentTarget.value);
            action.forget();
          }}
        />
      </label>
      <p id="balance-mistake" role="status" class={mistake === undefined ? 'quiet' : 'problem'}>
        {mistake === undefined
          ? 'This is valid JSON.'
          : `Line ${mistake.line}, column ${mistake.column}: ${mistake.message}.`}
      </p>
      <Problem text={action.problem} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={mistake !== undefined || action.isBusy}>
          Set
        </button>
        <button type="button" onClick={remove} disabled={!isSet || action.isBusy}>
          Remove
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** Focuses the text when the editor opens, and never again. */
function focusOnce(area: HTMLTextAreaElement | null): void {
  area?.focus();
}
