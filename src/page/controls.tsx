import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { RequestDetails } from '../mock/journal/journal-entry.ts';
import type { ControlCall } from './client.ts';
import { prettyJson } from './json.ts';
import { act } from './mock.ts';

/** What a component can do in the mock, and what came of it. */
export interface Action {
  /** Does it. Returns the body of the response; `undefined` if it was refused. */
  run(call: ControlCall, done: string | ((text: string) => string)): Promise<string | undefined>;
  /** Why it was refused last; empty if it was not. */
  readonly problem: string;
  readonly isBusy: boolean;
  /** Forgets the problem. */
  forget(): void;
}

/** For a component that changes something in the mock. */
export function useAction(): Action {
  const problem = useSignal('');
  const running = useSignal(0);
  return {
    problem: problem.value,
    isBusy: running.value > 0,
    forget: () => {
      problem.value = '';
    },
    async run(call, done) {
      running.value++;
      try {
        const text = await act(call, done);
        problem.value = '';
        return text;
      } catch (error) {
        problem.value = (error as Error).message;
        return undefined;
      } finally {
        running.value--;
      }
    },
  };
}

/** Why an action was refused, where it was done. */
export function Problem({ text }: { text: string }) {
  // The element is always there, so that screen readers notice when it gets text.
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

/** A line for a shell, and a button that copies it. */
export function CopyLine({ line, label }: { line: string; label: string }) {
  const shown = useRef<HTMLElement>(null);
  return (
    <div class="copy-line">
      <code ref={shown} class="line" dir="ltr">
        {line}
      </code>
      <CopyButton text={line} label={label} fallback={() => select(shown.current)} />
    </div>
  );
}

interface CopyProps {
  readonly text: string;
  /** What is copied, for screen readers. */
  readonly label: string;
  readonly children?: string;
  /** Called where the browser does not allow to copy: selects the text for the user. */
  readonly fallback: () => void;
}

/** The time for which a button says that it has copied, in ms. */
const SAID = 1500;

/** A button that copies text. */
export function CopyButton({ text, label, children = 'Copy', fallback }: CopyProps) {
  const said = useSignal('');
  const copy = async () => {
    try {
      // Browsers have it on localhost and over HTTPS only.
      await navigator.clipboard.writeText(text);
      said.value = 'Copied';
    } catch {
      fallback();
      said.value = 'Selected';
    }
    setTimeout(() => {
      said.value = '';
    }, SAID);
  };
  return (
    <button type="button" class="copy" aria-label={said.value || label} onClick={copy}>
      {said.value || children}
    </button>
  );
}

/** Selects the text of an element. */
export function select(element: Element | null): void {
  if (element !== null) getSelection()?.selectAllChildren(element);
}

/** Focuses an element when it appears. As a function of its own it is not called again. */
export function focus(element: HTMLElement | null): void {
  element?.focus();
}

/** Names and values, such as headers. */
export function Pairs({ name, pairs }: { name: string; pairs: RequestDetails['headers'] }) {
  const all = Object.entries(pairs).flatMap(([key, value]) =>
    [value].flat().map((one) => [key, one] as const),
  );
  if (all.length === 0) return null;
  return (
    <>
      <h4>{name}</h4>
      <Scroller name={name} text={all.join('\n')}>
        <dl>
          {all.map(([key, value], at) => (
            <div key={at}>
              <dt>
                <bdi>{key}</bdi>
              </dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      </Scroller>
    </>
  );
}

/** A body, laid out if it is JSON. */
export function Body({ text, name }: { text: string; name: string }) {
  if (text === '') return null;
  const pretty = prettyJson(text);
  return (
    <>
      <h4>Body</h4>
      <div class="body">
        <Scroller name={name} text={pretty}>
          <pre>
            <bdi>{pretty}</bdi>
          </pre>
        </Scroller>
      </div>
    </>
  );
}

/** The number of letters and of lines from which on a part may scroll. */
const LONG = { letters: 600, lines: 12 };

interface ScrollerProps {
  readonly name: string;
  readonly text: string;
  readonly children: ComponentChildren;
}

/** Something that scrolls if it is long, also by keyboard. */
function Scroller({ name, text, children }: ScrollerProps) {
  const isLong = text.length > LONG.letters || text.split('\n').length > LONG.lines;
  if (!isLong) return <div class="scroller">{children}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
    <section class="scroller" tabIndex={0} aria-label={name}>
      {children}
    </section>
  );
}
