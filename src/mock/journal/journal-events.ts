import { type CallbackEntry, shownCallback } from '../callbacks/callback-record.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { FeedBatch } from './feed.ts';
import { type JournalEntry, shown } from './journal-entry.ts';
import type { Turns } from './turns.ts';

/** A journal entry without its headers and body. */
export type RequestEvent = Omit<JournalEntry, 'headers' | 'body'>;

/** An attempt of a callback without its headers and body. */
export type CallbackEvent = Omit<CallbackEntry, 'headers' | 'body'>;

/** What happened since the batch before. */
export interface JournalBatch extends Omit<FeedBatch, 'records'> {
  readonly requests: readonly RequestEvent[];
  readonly callbacks: readonly CallbackEvent[];
}

/** What the events of the journals need. */
export interface EventContext {
  /** Only requests and callbacks of this account. */
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
    const callbacks: CallbackEvent[] = [];
    for (const record of records) {
      if (account !== undefined && record.account !== account) continue;
      await turns.spend(record.bytes);
      if ('attempt' in record) callbacks.push(withoutContent(shownCallback(record, redactor)));
      else requests.push(withoutContent(shown(record, redactor)));
    }
    yield { ...batch, requests, callbacks };
  }
}

function withoutContent<Entry extends { headers: unknown; body: unknown }>(
  entry: Entry,
): Omit<Entry, 'headers' | 'body'> {
  const { headers: _, body: __, ...event } = entry;
  return event;
}
