import { Component } from 'preact';
import type { RequestEvent } from '../../mock/journal-events.ts';
import { durationText, timeOfDay } from './clock-words.ts';
import { isProblem, requestWords, statusWords, whyWords } from './entry-words.ts';

/** The length at which a text of a row is cut. The whole text is in the details. */
const LONGEST = 300;

interface RowProps {
  readonly entry: RequestEvent;
  readonly isOpen: boolean;
  /** Always the same function. */
  readonly onToggle: (id: number) => void;
}

/** A request in the table. It is only rendered again when it changes. */
export class RequestRow extends Component<RowProps> {
  override shouldComponentUpdate({ entry, isOpen }: RowProps): boolean {
    return entry !== this.props.entry || isOpen !== this.props.isOpen;
  }

  override render({ entry, isOpen, onToggle }: RowProps) {
    const { id, time, account, duration } = entry;
    const [why, hint] = whyWords(entry);
    const toggle = () => {
      // Who selects text does not want to open the row.
      if (getSelection()?.isCollapsed !== false) onToggle(id);
    };
    return (
      <tr
        class={`entry${isProblem(entry) ? ' is-problem' : ''}${isOpen ? ' is-open' : ''}`}
        onClick={toggle}
      >
        <td class="time">
          <time dateTime={time}>{timeOfDay(time)}</time>
        </td>
        <td class="account">{account ?? '–'}</td>
        <td class="request">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={isOpen ? `details-${id}` : undefined}
          >
            <bdi>{requestWords(entry).slice(0, LONGEST)}</bdi>
          </button>
        </td>
        <td class="status">{statusWords(entry)}</td>
        <td class="why">
          <span>
            <strong>
              <bdi>{why.slice(0, LONGEST)}</bdi>
              {hint !== '' && '.'}
            </strong>{' '}
            <span class="quiet">{hint}</span>
          </span>
        </td>
        <td class="duration">{durationText(duration)}</td>
      </tr>
    );
  }
}
