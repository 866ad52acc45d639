import { type Logger, logExchange } from '../logger.ts';
import type { Draft } from '../mock/draft.ts';
import type { Journal } from '../mock/journal.ts';

/** Writes a connection that never became a request into the journal and the log. */
export function noteConnection(
  journal: Journal,
  logger: Logger,
  known: Partial<Draft>,
  cause?: string,
): void {
  const entry = journal.open(null, {});
  journal.note(entry, known);
  logExchange(logger, entry, cause);
  entry.isOver = true;
}
