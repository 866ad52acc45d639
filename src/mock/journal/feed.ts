import { clearTimeout, setTimeout, sleep } from '../../timers.ts';
import { MAX_PENDING_EVENTS } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { CallbackEntry, JournalEntry } from './entry.ts';
import { entriesOf, type JournalRecord } from './record.ts';

/** What can change, besides journal records. */
export type Change =
  | 'balance'
  | 'variant'
  | 'rate-limit'
  | 'responses'
  | 'requests'
  | 'callbacks'
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

export type RequestEvent = Omit<JournalEntry, 'headers' | 'body'>;

export type CallbackEvent = Omit<CallbackEntry, 'headers' | 'body'>;

export interface JournalBatch {
  /** The requests that began or ended, in order of their latest events. */
  readonly requests: readonly RequestEvent[];
  /** The attempts of callbacks that began or ended. */
  readonly callbacks: readonly CallbackEvent[];
  /** Other changes. */
  readonly changes: readonly Change[];
  /** The number of records that were dropped because the reader is slow. */
  readonly dropped: number;
}

/**
 * Publishes what happens in a mock to its readers: `GET /events` and the live page. This costs a
 * request next to nothing, because a reader gets batches with only the newest records.
 */
export class Feed {
  readonly #readers = new Set<Reader>();
  readonly #redactor: Redactor;
  #isClosed = false;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  publish(record: JournalRecord): void {
    for (const reader of this.#readers) reader.add(record);
  }

  change(change: Change): void {
    for (const reader of this.#readers) reader.change(change);
  }

  /**
   * Yields what happens from now on, without secrets, until the caller stops or the feed ends its
   * readers. The first batch comes immediately, to show that the connection works.
   *
   * @param signal aborted when the caller stops
   */
  async *read(
    { limit = MAX_PENDING_EVENTS, account }: FeedOptions,
    signal: AbortSignal,
  ): AsyncGenerator<JournalBatch, void> {
    const reader = new Reader(limit);
    this.#readers.add(reader);
    const end = () => reader.end();
    signal.addEventListener('abort', end);
    if (this.#isClosed || signal.aborted) end();
    try {
      yield await this.#batch(reader, account);
      while (!reader.isEnded) {
        if (await reader.isReady(HEARTBEAT)) await sleep(BATCH, undefined, { ref: false });
        if (!reader.isEnded) yield await this.#batch(reader, account);
      }
    } finally {
      signal.removeEventListener('abort', end);
      this.#readers.delete(reader);
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

  async #batch(reader: Reader, account: string | undefined): Promise<JournalBatch> {
    const { records, changes, dropped } = reader.take();
    const requests: RequestEvent[] = [];
    const callbacks: CallbackEvent[] = [];
    const read = records.filter((record) => account === undefined || record.account === account);
    for (const { headers: _, body: __, ...event } of await entriesOf(read, this.#redactor)) {
      if ('attempt' in event) callbacks.push(event);
      else requests.push(event);
    }
    return { requests, callbacks, changes, dropped };
  }
}

class Reader {
  readonly #limit: number;
  readonly #records = new Set<JournalRecord>();
  readonly #changes = new Set<Change>();
  #dropped = 0;
  #wake = () => {};
  isEnded = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(record: JournalRecord): void {
    // Records are ordered by their latest event.
    this.#records.delete(record);
    this.#records.add(record);
    if (this.#records.size > this.#limit) {
      const [oldest] = this.#records;
      if (oldest !== undefined) this.#records.delete(oldest);
      this.#dropped++;
    }
    this.#wake();
  }

  change(change: Change): void {
    this.#changes.add(change);
    this.#wake();
  }

  end(): void {
    this.isEnded = true;
    this.#wake();
  }

  take() {
    const taken = {
      records: [...this.#records],
      changes: [...this.#changes],
      dropped: this.#dropped,
    };
    this.#records.clear();
    this.#changes.clear();
    this.#dropped = 0;
    return taken;
  }

  /** Resolves to `true` once there is an event, or to `false` after `timeout` ms. */
  async isReady(timeout: number): Promise<boolean> {
    const isReady = () => this.#records.size > 0 || this.#changes.size > 0;
    if (isReady()) return true;
    if (this.isEnded) return false;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeout);
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    return isReady();
  }
}
