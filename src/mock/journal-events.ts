import type { FeedBatch } from './feed.ts';
import { type JournalEntry, shown } from './journal-entry.ts';
import { bytesOf } from './journal-record.ts';
import type { Redactor } from './redaction.ts';
import type { Turns } from './turns.ts';

/** A journal entry without its headers and body. */
export type RequestEvent = Omit<JournalEntry, 'headers' | 'body'>;

/** What happened since the batch before. */
export interface JournalBatch extends Omit<FeedBatch, 'records'> {
  readonly requests: readonly RequestEvent[];
}

/** What the events of a journal need. */
export interface EventContext {
  /** Only requests of this account. */
  readonly account: string | undefined;
  readonly redactor: Redactor;
  readonly turns: Turns;
}

/** The batches of a feed, without secrets. */
export async function* journalEvents(
  batches: AsyncIterable<FeedBatch>,
  { account, redactor, turns }: EventContext,
): AsyncGenerator<JournalBatch, void> {
  for await (const { records, ...batch } of batches) {
    const requests: RequestEvent[] = [];
    for (const record of records) {
      if (account !== undefined && record.account !== account) continue;
      await turns.spend(bytesOf(record));
      const { headers: _, body: __, ...event } = shown(record, redactor);
      requests.push(event);
    }
    yield { ...batch, requests };
  }
}
