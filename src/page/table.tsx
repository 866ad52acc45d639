import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RequestDetails } from '../mock/journal/entry.ts';
import { pairsOf } from '../mock/requests/request-target.ts';
import type { Entry, EntryList } from './entry-list.ts';
import { prettyJson } from './json.ts';
import { durationText, type RowWords, timeOfDay } from './words.ts';

interface TableProps<Item extends Entry> {
  readonly journal: EntryList<Item>;
  readonly caption: string;
  readonly columns: readonly string[];
  readonly words: (entry: Item) => RowWords;
  readonly load: (entry: Item) => Promise<ComponentChildren>;
}

/** A table of entries, the newest first. It does not move while somebody reads it. */
export function EntryTable<Item extends Entry>(props: TableProps<Item>) {
  const { journal, caption, columns, words, load } = props;
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
      <caption class="hidden">{caption}, the newest first</caption>
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
          const { what, content, attempt, status, why, hint, isProblem } = words(entry);
          const isOpen = entry.id === journal.openId.value;
          const id = `${columns[2]}-${entry.id}`;
          const toggle = () => {
            // Selecting text does not open the row.
            if (getSelection()?.isCollapsed === false) return;
            journal.openId.value = isOpen ? null : entry.id;
          };
          return (
            <Fragment key={id}>
              <tr
                class={`entry${isProblem ? ' is-problem' : ''}${isOpen ? ' is-open' : ''}`}
                onClick={toggle}
              >
                <td class="time">
                  <time dateTime={entry.time}>{timeOfDay(entry.time)}</time>
                </td>
                <td class="account">{entry.account ?? '–'}</td>
                <td class="request">
                  <button
                    type="button"
                    aria-expanded={isOpen}
                    aria-controls={isOpen ? id : undefined}
                  >
                    {content ? (
                      <>
                        <strong>{content}</strong> <span class="quiet">{what}</span>
                      </>
                    ) : (
                      what
                    )}
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
              {isOpen && (
                <tr class="details" id={id}>
                  <td colSpan={columns.length}>
                    <Details {...{ entry, load }} />
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

/** The details below an open row. They are loaded again when the entry changes. */
function Details<Item extends Entry>({
  entry,
  load,
}: { entry: Item } & Pick<TableProps<Item>, 'load'>) {
  const [details, setDetails] = useState<ComponentChildren>(<p class="quiet">Loading…</p>);
  useEffect(() => {
    let isCurrent = true;
    load(entry)
      .catch((error) => <p class="problem">{error.message}</p>)
      .then((loaded) => isCurrent && setDetails(loaded));
    return () => {
      isCurrent = false;
    };
  }, [entry]);
  return <div class="parts">{details}</div>;
}

/** Shows new entries that came while the rows did not move. */
export function FreshButton<Item extends Entry>({ journal }: { journal: EntryList<Item> }) {
  const { fresh } = journal.rows.value;
  // It takes up space while it is hidden, so that no row moves when it appears.
  return (
    <button
      type="button"
      class={`primary fresh${fresh > 0 ? '' : ' is-idle'}`}
      onClick={() => journal.showNew()}
    >
      {fresh.toLocaleString('en')} new
    </button>
  );
}

interface MessageProps {
  readonly name: string;
  readonly title?: string;
  readonly query?: RequestDetails['query'];
  readonly headers: RequestDetails['headers'];
  readonly body: string;
  readonly children?: ComponentChildren;
}

export function Message({ name, title = name, query = {}, headers, body, children }: MessageProps) {
  return (
    <section aria-label={name}>
      <h3>{title}</h3>
      {children}
      <Pairs name="Query" fields={query} />
      <Pairs name="Headers" fields={headers} />
      {body !== '' && (
        <>
          <h4>Body</h4>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus */}
          <section class="body" tabIndex={0} aria-label={`Body: ${name}`}>
            <pre>
              <bdi>{prettyJson(body)}</bdi>
            </pre>
          </section>
        </>
      )}
    </section>
  );
}

function Pairs({ name, fields }: { name: string; fields: RequestDetails['headers'] }) {
  const entries = pairsOf(fields);
  if (entries.length === 0) return null;
  return (
    <>
      <h4>{name}</h4>
      <dl>
        {entries.map(([key, value], at) => (
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
    </>
  );
}
