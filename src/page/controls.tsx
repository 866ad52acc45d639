import { signal, useSignal } from '@preact/signals';
import type {
  ButtonHTMLAttributes,
  ComponentChildren,
  ComponentProps,
  FormHTMLAttributes,
} from 'preact';
import { type ControlCall, commandOf, send } from './control-api.ts';
import { scopeWords } from './words.ts';

/** The page's last action as a curl command; `null` before the first one. */
export const command = signal<{
  readonly line: string;
  readonly outcome: string;
  readonly hasFailed: boolean;
} | null>(null);

interface Action {
  readonly call: ControlCall;
  readonly done: string;
  readonly onDone?: ((text: string) => void) | undefined;
}

/** For components that change the mock. It sets {@link command}. */
function useAction() {
  const problem = useSignal('');
  const run = async ({ call, done, onDone }: Action) => {
    try {
      const text = await (await send(call)).text();
      problem.value = '';
      onDone?.(text);
    } catch (error) {
      problem.value = (error as Error).message;
    }
    const hasFailed = problem.value !== '';
    command.value = { line: commandOf(call), outcome: problem.value || done, hasFailed };
  };
  return { run, problem: <Problem text={problem.value} /> };
}

type ButtonProps = Action &
  ButtonHTMLAttributes<HTMLButtonElement> & {
    readonly question?: string;
  };

/** A button that changes the mock, or shows why the change was refused. */
export function ActButton({ call, done, onDone, question, ...attributes }: ButtonProps) {
  const { run, problem } = useAction();
  const act = () => (!question || confirm(question)) && run({ call, done, onDone });
  return (
    <>
      <button type="button" {...attributes} onClick={act} />
      {problem}
    </>
  );
}

type FormProps = Action & FormHTMLAttributes<HTMLFormElement>;

export function ActForm({ call, done, onDone, children, ...attributes }: FormProps) {
  const { run, problem } = useAction();
  const act = (event: SubmitEvent) => {
    event.preventDefault();
    void run({ call, done, onDone });
  };
  return (
    <form class="form" {...attributes} onSubmit={act}>
      {children}
      {problem}
    </form>
  );
}

/** A `ref`. It is a module function, so that rendering again does not call it. */
export function focus(element: HTMLElement | null): void {
  element?.focus();
}

export function Problem({ text }: { text: string }) {
  // The element is always there, so that screen readers notice when it gets text.
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

interface SelectProps {
  readonly id?: string;
  readonly name?: string;
  readonly class?: string;
  readonly 'aria-label'?: string;
  readonly value?: string;
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly onChoose?: (value: string) => void;
}

/** With `onChoose`, it always shows its `value`, not the user's choice. */
export function Select({ choices, onChoose, ...attributes }: SelectProps) {
  const choose = ({ currentTarget }: { currentTarget: HTMLSelectElement }) => {
    const chosen = currentTarget.value;
    // Preact would not reset the selection, because the value does not change.
    if (onChoose !== undefined) currentTarget.value = String(attributes.value);
    onChoose?.(chosen);
  };
  return (
    <select {...attributes} onChange={choose}>
      {choices.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

interface ActSelectProps extends Omit<SelectProps, 'onChoose'> {
  readonly call: (chosen: string) => ControlCall;
  readonly done: (chosen: string) => string;
}

export function ActSelect({ call, done, ...attributes }: ActSelectProps) {
  const { run, problem } = useAction();
  return (
    <>
      <Select
        {...attributes}
        onChoose={(chosen) => run({ call: call(chosen), done: done(chosen) })}
      />
      {problem}
    </>
  );
}

/** Browsers allow copying only on localhost and over HTTPS. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const isCopied = useSignal(false);
  if (navigator.clipboard === undefined) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, 1500);
  };
  const words = isCopied.value ? 'Copied' : 'Copy';
  return (
    <button
      type="button"
      aria-label={isCopied.value ? words : label}
      onClick={() => copy().catch(() => {})}
    >
      {words}
    </button>
  );
}

export function CopyLine({ text, label }: { text: string; label: string }) {
  return (
    <div class="copy-line">
      {/* A long one scrolls, also by keyboard. */}
      <code class="line" dir="ltr" tabIndex={text.length > 300 ? 0 : undefined}>
        {text}
      </code>
      <CopyButton text={text} label={label} />
    </div>
  );
}

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
