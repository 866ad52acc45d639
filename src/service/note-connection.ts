import { type Logger, logExchange } from '../logger.ts';
import type { Journal } from '../mock/journal.ts';
import type { JournalRecord } from '../mock/journal-record.ts';

/** Writes a connection that never became a request into the journal and the log. */
export function noteConnection(
  journal: Journal,
  logger: Logger,
  known: Partial<JournalRecord>,
  cause?: string,
): void {
  const record = journal.open(null, {});
  journal.note(record, known);
  logExchange(logger, record, cause);
}
