import { type ComponentChildren, type ComponentType, Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RequestDetails } from '../mock/journal/entry.ts';
import { Problem } from './controls.tsx';
import { pairs } from './curl.ts';
import type { Entry, Journal } from './journal.ts';
import { prettyJson } from './json.ts';
import { durationText, type RowWords, timeOfDay } from './words.ts';

interface TableProps<Shown extends Entry> {
  readonly journal: Journal<Shown>;
  /** Goes before the id of an entry, for an id in the page. */
  readonly name: string;
  /** What a screen reader calls the table. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly words: (entry: Shown) => RowWords;
  /** What is below the row of an entry that is open. */
  readonly Details: ComponentType<{ entry: Shown }>;
}

/** A table of entries, the newest first, which stays as it is while somebody reads it. */
export function EntryTable<Shown extends Entry>(props: TableProps<Shown>) {
  const { journal, name, caption, columns, words, Details } = props;
  const setRead = (isRead: boolean) => {
    journal.isRead.value = isRead;
  };
  return (
    <table
      class="entries"
      onPointerEnter={(event) => event.pointerType === 'mouse' && setRead(true)}
      onPointerLeave={({ currentTarget }) => {
        setRead(currentTarget.contains(document.activeElement));
      }}
      onFocusIn={() => setRead(true)}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const stays = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        setRead(stays || currentTarget.matches(':hover'));
      }}
    >
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr class="entry">
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {journal.rows.value.rows.map((entry) => {
          const isOpen = entry.id === journal.openId.value;
          const id = `${name}-${entry.id}`;
          const toggle = () => {
            journal.openId.value = isOpen ? null : entry.id;
          };
          return (
            <Fragment key={id}>
              <Row {...{ entry, isOpen, id, toggle }} words={words(entry)} />
              {isOpen && (
                <tr class="details" id={id}>
                  <td colSpan={columns.length}>
                    <Details entry={entry} />
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly entry: Entry;
  readonly words: RowWords;
  readonly isOpen: boolean;
  /** The id of the details. */
  readonly id: string;
  readonly toggle: () => void;
}

function Row({ entry, words, isOpen, id, toggle }: RowProps) {
  const { what, attempt, status, why, hint, isProblem } = words;
  return (
    <tr
      class={`entry${isProblem ? ' is-problem' : ''}${isOpen ? ' is-open' : ''}`}
      // Who selects text does not want to open the row.
      onClick={() => getSelection()?.isCollapsed !== false && toggle()}
    >
      <td class="time">
        <time dateTime={entry.time}>{timeOfDay(entry.time)}</time>
      </td>
      <td class="account">{entry.account ?? '–'}</td>
      <td class="request">
        <button type="button" aria-expanded={isOpen} aria-controls={isOpen ? id : undefined}>
          <bdi>{what}</bdi>
        </button>
      </td>
      {attempt !== undefined && <td class="attempt">{attempt}</td>}
      <td class="status">{status}</td>
      <td class="why">
        <span>
          <strong>
            <bdi>{why}</bdi>
            {hint !== '' && '.'}
          </strong>{' '}
          <span class="quiet">{hint}</span>
        </span>
      </td>
      <td class="duration">{durationText(entry.duration)}</td>
    </tr>
  );
}

/** The button that shows what came while the rows were frozen. */
export function FreshButton({ count, onClick }: { count: number; onClick: () => void }) {
  // It has its place also while it is hidden, so that no row moves when it appears.
  return (
    <button type="button" class={`primary fresh${count > 0 ? '' : ' is-idle'}`} onClick={onClick}>
      {count.toLocaleString('en')} new
    </button>
  );
}

/** Names and values, such as headers. */
export function Pairs({ name, fields }: { name: string; fields: RequestDetails['headers'] }) {
  const all = pairs(fields);
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
 * Loads the details of an entry. Until they are there, `waiting` says so, or why they are not.
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
  const waiting = details === undefined && (
    <>
      {problem === '' && <p class="quiet">Loading…</p>}
      <Problem text={problem} />
    </>
  );
  return { details, waiting };
}
