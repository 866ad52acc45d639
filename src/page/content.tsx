import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RequestDetails } from '../mock/journal/journal-entry.ts';
import { prettyJson } from './json.ts';

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

/**
 * Loads the details of an entry.
 *
 * @param key they are loaded again when it changes
 */
export function useDetails<Details>(key: string, load: () => Promise<Details>) {
  const [details, setDetails] = useState<Details>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (loaded) => isCurrent && setDetails(() => loaded),
      (error) => isCurrent && setProblem(error.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return { details, problem };
}
