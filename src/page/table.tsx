import { Component, type ComponentType } from 'preact';
import type { Entry, Journal } from './journal.ts';
import { durationText, type RowWords, timeOfDay } from './words.ts';

/** What a table says of its entries. */
export interface TableKind<Shown extends Entry> {
  /** Goes before the id of an entry, for an id in the page. */
  readonly name: string;
  /** What a screen reader calls the table. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly words: (entry: Shown) => RowWords;
  /** What tells the rows apart, always the same for the row of an entry whose details are open. */
  readonly keyOf: (entry: Shown, place: number) => number;
  /** What is below the row of an entry that is open. */
  readonly Details: ComponentType<{ entry: Shown }>;
}

interface TableProps<Shown extends Entry> {
  readonly journal: Journal<Shown>;
  readonly kind: TableKind<Shown>;
}

/** A table of entries, the newest first, which stays as it is while somebody reads it. */
export function EntryTable<Shown extends Entry>({ journal, kind }: TableProps<Shown>) {
  const { rows } = journal.rows.value;
  const { name, caption, columns, keyOf, Details } = kind;
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
        {rows.flatMap((entry, place) => {
          const isOpen = entry.id === journal.openId.value;
          const id = `${name}-${entry.id}`;
          return [
            <Row key={keyOf(entry, place)} {...{ entry, isOpen, journal, kind }} />,
            isOpen && (
              <tr key={id} class="details" id={id}>
                <td colSpan={columns.length}>
                  <Details entry={entry} />
                </td>
              </tr>
            ),
          ];
        })}
      </tbody>
    </table>
  );
}

/** The length at which a text of a row is cut. The whole text is in the details. */
const LONGEST = 300;

interface RowProps<Shown extends Entry> extends TableProps<Shown> {
  readonly entry: Shown;
  readonly isOpen: boolean;
}

/** A row. It is only rendered again when its entry changes, or when it opens or closes. */
class Row<Shown extends Entry> extends Component<RowProps<Shown>> {
  override shouldComponentUpdate({ entry, isOpen }: RowProps<Shown>): boolean {
    return entry !== this.props.entry || isOpen !== this.props.isOpen;
  }

  override render({ entry, isOpen, journal, kind }: RowProps<Shown>) {
    const { what, attempt, status, why, hint, isProblem } = kind.words(entry);
    const toggle = () => {
      // Who selects text does not want to open the row.
      if (getSelection()?.isCollapsed !== false) journal.toggle(this.props.entry.id);
    };
    return (
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
            aria-controls={isOpen ? `${kind.name}-${entry.id}` : undefined}
          >
            <bdi>{what.slice(0, LONGEST)}</bdi>
          </button>
        </td>
        {attempt !== undefined && <td class="attempt">{attempt}</td>}
        <td class="status">{status}</td>
        <td class="why">
          <span>
            <strong>
              <bdi>{why.slice(0, LONGEST)}</bdi>
              {hint !== '' && '.'}
            </strong>{' '}
            <span class="quiet">{hint}</span>
          </span>
        </td>
        <td class="duration">{durationText(entry.duration)}</td>
      </tr>
    );
  }
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
