import type { Journal } from '../../../src/mock/journal/journal.ts';
import type { JournalEntry } from '../../../src/mock/journal/journal-entry.ts';
import type { Filter } from '../../../src/mock/journal/journal-filter.ts';

/** What a journal shows for a filter. */
export async function entriesOf(journal: Journal, filter: Filter = {}): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of (await journal.read(filter)).entries) entries.push(entry);
  return entries;
}
