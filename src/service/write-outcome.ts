import { LONGEST_BODY } from '../mock/journal.ts';
import type { JournalRecord } from '../mock/journal-record.ts';
import type { Mock, Outcome } from '../mock/mock.ts';

/**
 * Writes what the mock decided into the journal record of a request.
 *
 * @param url the target as it came over the wire
 * @param body what was kept of it; `null` where there was none
 */
export function writeOutcome(
  { journal }: Mock,
  record: JournalRecord,
  outcome: Outcome,
  url: string,
  body: Buffer | null,
): void {
  if (outcome.target !== undefined) record.target = url;
  record.account = outcome.account?.id ?? null;
  record.path = outcome.path ?? null;
  record.operation = outcome.operation?.name ?? null;
  record.body = body;
  // A body that just fits counts as cut too: that hides at most a few characters more.
  record.bodyCut = body?.length === LONGEST_BODY;
  record.source = outcome.source;
  record.file = outcome.file ?? null;
  record.variant = outcome.variant ?? null;
  record.fault = outcome.fault?.type ?? null;
  record.reason = outcome.reason ?? null;
  journal.changed(record);
}
