import { Component } from 'preact';
import type { CallbackEvent } from '../../mock/journal-events.ts';
import { attemptStatus, attemptWhy, isRefused } from './callback-words.ts';
import { durationText, timeOfDay } from './clock-words.ts';

/** The length at which a URL is cut. The whole URL is in the details. */
const LONGEST = 300;

interface RowProps {
  readonly attempt: CallbackEvent;
  readonly isOpen: boolean;
  /** Always the same function. */
  readonly onToggle: (id: number) => void;
}

/** An attempt of a callback in the table. It is only rendered again when it changes. */
export class CallbackRow extends Component<RowProps> {
  override shouldComponentUpdate({ attempt, isOpen }: RowProps): boolean {
    return attempt !== this.props.attempt || isOpen !== this.props.isOpen;
  }

  override render({ attempt: entry, isOpen, onToggle }: RowProps) {
    const { id, time, account, method, url, attempt, duration } = entry;
    const [why, hint] = attemptWhy(entry);
    const toggle = () => {
      // Who selects text does not want to open the row.
      if (getSelection()?.isCollapsed !== false) onToggle(id);
    };
    return (
      <tr
        class={`entry${isRefused(entry) ? ' is-problem' : ''}${isOpen ? ' is-open' : ''}`}
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
            aria-controls={isOpen ? `callback-${id}` : undefined}
          >
            <bdi>{`${method} ${url}`.slice(0, LONGEST)}</bdi>
          </button>
        </td>
        <td class="attempt">{attempt}</td>
        <td class="status">{attemptStatus(entry)}</td>
        <td class="why">
          <span>
            <strong>
              {why}
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
