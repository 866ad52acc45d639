import type { RequestEvent } from '../../mock/controller/journal-events.ts';
import { EntryRow, entryRow } from './entry-row.tsx';
import { isProblem, requestWords, statusWords, whyWords } from './entry-words.ts';

/** A request in the table. */
export class RequestRow extends EntryRow<RequestEvent> {
  override render({ entry, isOpen, onToggle }: RequestRow['props']) {
    const [why, hint] = whyWords(entry);
    return entryRow({
      ...{ entry, isOpen, onToggle, why, hint, isProblem: isProblem(entry) },
      details: `details-${entry.id}`,
      words: requestWords(entry),
      cells: <td class="status">{statusWords(entry)}</td>,
    });
  }
}
