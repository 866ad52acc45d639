import type { Draft } from '../core/draft.ts';
import type { Journal } from '../core/journal.ts';
import { type Logger, logExchange } from '../logger.ts';

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
