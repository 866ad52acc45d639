import { clearTimeout, setTimeout, sleep } from '../../timers.ts';
import { MAX_PENDING_EVENTS } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { RequestEntry, WebhookEntry } from './entry.ts';
import { entriesOf, type JournalRecord } from './record.ts';

/** What can change, besides journal records. */
export type Change =
  | 'balance'
  | 'variant'
  | 'rate-limit'
  | 'responses'
  | 'requests'
  | 'webhooks'
  | 'accounts'
  | 'state'
  | 'clock'
  | 'tls'
  | 'fixtures'
  | 'health';

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
  /** The attempts of webhooks that began or ended. */
  readonly webhooks: readonly WebhookEvent[];
  /** Other changes. */
  readonly changes: readonly Change[];
  /** The number of records that were dropped because the reader is slow. */
  readonly dropped: number;
}

/**
 * Publishes what happens in a mock to its readers: `GET /events` and the live page. This costs a
 * request next to nothing, because readers get batches with only the newest records, and readers
 * with the same options share them.
 */
export class Feed {
  readonly #readers = new Set<Reader>();
  readonly #unread = new Set<Unread>();
  readonly #redactor: Redactor;
  #tick: Promise<void> | undefined;
  #isClosed = false;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  publish(record: JournalRecord): void {
    for (const unread of this.#unread) unread.add(record);
  }

  change(change: Change): void {
    for (const unread of this.#unread) unread.change(change);
  }

  /**
   * Yields what happens from now on, without secrets, until the caller stops or the feed ends its
   * readers. The first batch comes immediately, to show that the connection works.
   *
   * @param signal aborted when the caller stops
   */
  async *read(options: FeedOptions, signal: AbortSignal): AsyncGenerator<JournalBatch, void> {
    const reader = new Reader();
    const end = () => reader.end();
    signal.addEventListener('abort', end);
    if (this.#isClosed || signal.aborted) end();
    this.#readers.add(reader);
    let unread = this.#join(options);
    try {
      yield { requests: [], webhooks: [], changes: [], dropped: 0 };
      while (!reader.isEnded) {
        if (await unread.isReady(reader, HEARTBEAT)) await this.#nextTick();
        if (reader.isEnded) return;
        const batch = unread.batch(this.#redactor);
        this.#leave(unread);
        unread = this.#join(options);
        yield await batch;
      }
    } finally {
      signal.removeEventListener('abort', end);
      this.#readers.delete(reader);
      this.#leave(unread);
    }
  }

  /** Ends all readers, because they missed events. They reconnect. */
  end(): void {
    for (const reader of this.#readers) reader.end();
  }

  close(): void {
    this.#isClosed = true;
    this.end();
  }

  /** All readers take their batches at the same times, so that they can share them. */
  #nextTick(): Promise<void> {
    this.#tick ??= sleep(BATCH, undefined, { ref: false }).then(() => {
      this.#tick = undefined;
    });
    return this.#tick;
  }

  #join(options: FeedOptions): Unread {
    const old = [...this.#unread].find((one) => one.isNewFor(options));
    const unread = old ?? new Unread(options);
    this.#unread.add(unread);
    unread.readers++;
    return unread;
  }

  #leave(unread: Unread): void {
    if (--unread.readers === 0) this.#unread.delete(unread);
  }
}

class Reader {
  isEnded = false;
  wake = () => {};

  end(): void {
    this.isEnded = true;
    this.wake();
  }
}

/** What some readers with the same options have not read yet. */
class Unread {
  readers = 0;
  readonly #limit: number;
  readonly #account: string | undefined;
  readonly #records = new Set<JournalRecord>();
  readonly #changes = new Set<Change>();
  readonly #waiting = new Set<Reader>();
  #dropped = 0;
  #batch: Promise<JournalBatch> | undefined;

  constructor({ limit = MAX_PENDING_EVENTS, account }: FeedOptions) {
    this.#limit = limit;
    this.#account = account;
  }

  get #isEmpty(): boolean {
    return this.#records.size === 0 && this.#changes.size === 0;
  }

  /** Whether a reader with these options can join, because it missed nothing. */
  isNewFor({ limit = MAX_PENDING_EVENTS, account }: FeedOptions): boolean {
    return this.#isEmpty && limit === this.#limit && account === this.#account;
  }

  add(record: JournalRecord): void {
    if (this.#account !== undefined && record.account !== this.#account) return;
    // Records are ordered by their latest event.
    this.#records.delete(record);
    this.#records.add(record);
    if (this.#records.size > this.#limit) {
      const [oldest = record] = this.#records;
      this.#records.delete(oldest);
      this.#dropped++;
    }
    this.#changed();
  }

  change(change: Change): void {
    this.#changes.add(change);
    this.#changed();
  }

  /** The batch of all readers that take it before something else happens. */
  batch(redactor: Redactor): Promise<JournalBatch> {
    this.#batch ??= this.#read(redactor);
    return this.#batch;
  }

  /** Resolves to `true` once there is an event, or to `false` after `timeout` ms. */
  async isReady(reader: Reader, timeout: number): Promise<boolean> {
    if (!this.#isEmpty) return true;
    if (reader.isEnded) return false;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeout);
      timer.unref();
      reader.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(reader);
    });
    this.#waiting.delete(reader);
    return !this.#isEmpty;
  }

  #changed(): void {
    this.#batch = undefined;
    for (const reader of this.#waiting) reader.wake();
    this.#waiting.clear();
  }

  async #read(redactor: Redactor): Promise<JournalBatch> {
    const changes = [...this.#changes];
    const dropped = this.#dropped;
    const requests: RequestEvent[] = [];
    const webhooks: WebhookEvent[] = [];
    for (const entry of await entriesOf([...this.#records], redactor)) {
      const { headers: _, body: __, ...event } = entry;
      if ('attempt' in event) webhooks.push(event);
      else requests.push(event);
    }
    return { requests, webhooks, changes, dropped };
  }
}
