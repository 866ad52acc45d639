import { Component, type ComponentChildren } from 'preact';
import { durationText, timeOfDay } from './clock-words.ts';

/** The length at which a text of a row is cut. The whole text is in the details. */
const LONGEST = 300;

/** What the rows of requests and of attempts of callbacks have in common. */
interface Entry {
  readonly id: number;
  readonly time: string;
  readonly account: string | null;
  readonly duration: number | null;
}

interface RowProps<Shown extends Entry> {
  readonly entry: Shown;
  readonly isOpen: boolean;
  /** Always the same function. */
  readonly onToggle: (id: number) => void;
}

/** A row of a table. It is only rendered again when its entry changes, or when it opens or closes. */
export abstract class EntryRow<Shown extends Entry> extends Component<RowProps<Shown>> {
  override shouldComponentUpdate({ entry, isOpen }: RowProps<Shown>): boolean {
    return entry !== this.props.entry || isOpen !== this.props.isOpen;
  }
}

interface EntryRowParts extends RowProps<Entry> {
  readonly isProblem: boolean;
  /** The id of the element with the details. */
  readonly details: string;
  /** What the button that opens the row says. */
  readonly words: string;
  /** The cells between the button and the reason. */
  readonly cells: ComponentChildren;
  readonly why: string;
  readonly hint: string;
}

/** The row of a request, or of an attempt of a callback. It is no component, because rows are many. */
export function entryRow(parts: EntryRowParts) {
  const { entry, isProblem, isOpen, details, words, cells, why, hint, onToggle } = parts;
  const toggle = () => {
    // Who selects text does not want to open the row.
    if (getSelection()?.isCollapsed !== false) onToggle(entry.id);
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
        <button type="button" aria-expanded={isOpen} aria-controls={isOpen ? details : undefined}>
          <bdi>{words.slice(0, LONGEST)}</bdi>
        </button>
      </td>
      {cells}
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
