import { EventEmitter } from 'node:events';
import { clearTimeout, setTimeout, sleep } from '../../timers.ts';
import { inTurns } from '../in-turns.ts';
import { MAX_PENDING_EVENTS } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { RequestEntry, WebhookEntry } from './entry.ts';
import { bytesOf, type JournalRecord } from './record.ts';

/** How long a batch gathers events, in ms. Several events of a record become one. */
export const BATCH = 100;

/** After this time without an event, in ms, a reader gets an empty batch as a heartbeat. */
const HEARTBEAT = 15_000;

export interface FeedOptions {
  /**
   * The maximum number of requests in a batch. The newest are kept, and the others are dropped.
   *
   * @default {@link MAX_PENDING_EVENTS}
   */
  readonly limit?: number | undefined;
  readonly account?: string | undefined;
}

export type RequestEvent = Omit<RequestEntry, 'headers' | 'body'>;

export type WebhookEvent = Omit<WebhookEntry, 'headers' | 'body'>;

export interface JournalBatch {
  /** The requests that began or ended, in order of their latest events. */
  readonly requests: readonly RequestEvent[];
  readonly webhooks: readonly WebhookEvent[];
  readonly changes: readonly string[];
  /** The number of records that were dropped because the reader is slow. */
  readonly dropped: number;
}

/** Publishes what happens in a mock to its readers: `GET /events` and the live page. */
export class Feed {
  /** Emits each change by its name, for waits. */
  readonly changes: EventEmitter = new EventEmitter().setMaxListeners(0);
  readonly #readers = new Set<Unread>();
  readonly #closed = new AbortController();
  readonly #redactor: Redactor;
  /** Redacting takes long, so readers share what they get of a record until it changes. */
  readonly #events = new WeakMap<JournalRecord, RequestEvent | WebhookEvent>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  publish(record: JournalRecord): void {
    if (this.#readers.size === 0) return;
    this.#events.delete(record);
    for (const unread of this.#readers) unread.add(record);
  }

  /** Must be called when the journal removes a record. */
  remove(record: JournalRecord): void {
    for (const unread of this.#readers) unread.remove(record);
  }

  /** @param change what has changed, such as `state`, besides journal records */
  change(change: string): void {
    for (const unread of this.#readers) unread.change(change);
    this.changes.emit(change);
  }

  /**
   * Yields what happens from now on, without secrets, until the caller stops or the feed closes. The
   * first batch comes immediately, to show that the connection works.
   *
   * @param signal aborted when the caller stops
   */
  async *read(options: FeedOptions, signal: AbortSignal): AsyncGenerator<JournalBatch, void> {
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    const unread = new Unread(options);
    this.#readers.add(unread);
    ended.addEventListener('abort', () => unread.wake());
    try {
      yield { requests: [], webhooks: [], changes: [], dropped: 0 };
      while (!ended.aborted) {
        unread.isAwaited = true;
        const isReady = await unread.isReady();
        const batch = await this.#redactor.during(async () => {
          // It ends with the signal, because its timer does not keep a process alive that stops.
          if (isReady) await sleep(BATCH, undefined, { ref: false, signal: ended }).catch(() => {});
          return ended.aborted ? undefined : unread.batch((record) => this.#eventOf(record));
        });
        if (batch === undefined) return;
        unread.isAwaited = false;
        yield batch;
      }
    } finally {
      this.#readers.delete(unread);
    }
  }

  /** Aborted when the mock closes. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  close(): void {
    this.#closed.abort();
  }

  #eventOf(record: JournalRecord): RequestEvent | WebhookEvent {
    const known = this.#events.get(record);
    if (known !== undefined) return known;
    const { headers: _, body: __, ...event } = record.entry(this.#redactor);
    this.#events.set(record, event);
    return event;
  }
}

/** What a reader has not read yet. A slow one misses the oldest records. */
class Unread {
  wake = () => {};
  /** Whether the reader waits for a batch. */
  isAwaited = false;
  readonly #limit: number;
  readonly #account: string | undefined;
  /** They are in order of their latest events. */
  readonly #records = new Set<JournalRecord>();
  readonly #changes = new Set<string>();
  #dropped = 0;

  constructor({ limit = MAX_PENDING_EVENTS, account }: FeedOptions) {
    this.#limit = limit;
    this.#account = account;
  }

  add(record: JournalRecord): void {
    if (this.#account !== undefined && record.account !== this.#account) return;
    this.#records.delete(record);
    this.#records.add(record);
    if (this.#records.size > this.#limit) {
      const [oldest = record] = this.#records;
      this.#drop(oldest);
    }
    this.wake();
  }

  /** Only a reader that waits still gets it, because nobody knows when the others will read. */
  remove(record: JournalRecord): void {
    if (!this.isAwaited) this.#drop(record);
  }

  #drop(record: JournalRecord): void {
    if (this.#records.delete(record)) this.#dropped++;
  }

  change(change: string): void {
    this.#changes.add(change);
    this.wake();
  }

  /** Waits for an event. Resolves to `false` when a heartbeat is due. */
  async isReady(): Promise<boolean> {
    const isEmpty = () => this.#records.size + this.#changes.size + this.#dropped === 0;
    if (!isEmpty()) return true;
    let heartbeat: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      heartbeat = setTimeout(resolve, HEARTBEAT).unref();
    });
    clearTimeout(heartbeat);
    return !isEmpty();
  }

  async batch(
    eventOf: (record: JournalRecord) => RequestEvent | WebhookEvent,
  ): Promise<JournalBatch> {
    const [records, changes, dropped] = [[...this.#records], [...this.#changes], this.#dropped];
    this.#records.clear();
    this.#changes.clear();
    this.#dropped = 0;
    const requests: RequestEvent[] = [];
    const webhooks: WebhookEvent[] = [];
    for (const event of await inTurns(records, bytesOf, eventOf)) {
      if ('attempt' in event) webhooks.push(event);
      else requests.push(event);
    }
    return { requests, webhooks, changes, dropped };
  }
}
