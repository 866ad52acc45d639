import { Component } from 'preact';
import type { RequestEvent } from '../../mock/journal-events.ts';
import { entryRow } from './entry-row.tsx';
import { isProblem, requestWords, statusWords, whyWords } from './entry-words.ts';

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
    const [why, hint] = whyWords(entry);
    return entryRow({
      ...{ entry, isOpen, onToggle, why, hint, isProblem: isProblem(entry) },
      details: `details-${entry.id}`,
      words: requestWords(entry),
      cells: <td class="status">{statusWords(entry)}</td>,
    });
  }
}
