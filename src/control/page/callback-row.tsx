import { Component } from 'preact';
import type { CallbackEvent } from '../../mock/journal-events.ts';
import { attemptStatus, attemptWhy, isRefused } from './callback-words.ts';
import { entryRow } from './entry-row.tsx';

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
    const { id, method, url, attempt } = entry;
    const [why, hint] = attemptWhy(entry);
    return entryRow({
      ...{ entry, isOpen, onToggle, why, hint, isProblem: isRefused(entry) },
      details: `callback-${id}`,
      words: `${method} ${url}`,
      cells: [
        <td key="attempt" class="attempt">
          {attempt}
        </td>,
        <td key="status" class="status">
          {attemptStatus(entry)}
        </td>,
      ],
    });
  }
}
