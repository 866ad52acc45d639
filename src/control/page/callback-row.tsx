import type { CallbackEvent } from '../../mock/controller/journal-events.ts';
import { attemptStatus, attemptWhy, isRefused } from './callback-words.ts';
import { EntryRow, entryRow } from './entry-row.tsx';

/** An attempt of a callback in the table. */
export class CallbackRow extends EntryRow<CallbackEvent> {
  override render({ entry, isOpen, onToggle }: CallbackRow['props']) {
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
