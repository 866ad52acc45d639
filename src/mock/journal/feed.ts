import { clearTimeout, setTimeout, sleep } from '../../timers.ts';
import { MOST_PENDING } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { type CallbackEntry, type JournalEntry, type Kept, shown } from './entry.ts';
import type { Turns } from './turns.ts';

/** What can change, apart from a record. */
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

/** Events of the same record within this time are one event, in ms. */
export const BATCH = 100;

/** The time without an event after which a reader gets a sign of life, in ms. */
const QUIET = 15_000;

/** How a reader reads. */
export interface FeedOptions {
  /**
   * The maximum number of requests in a batch. The newest are read, and the others are dropped.
   *
   * @default {@link MOST_PENDING}
   */
  readonly limit?: number | undefined;
  /** Only requests and callbacks of this account. */
  readonly account?: string | undefined;
}

/** A journal entry without its headers and body. */
export type RequestEvent = Omit<JournalEntry, 'headers' | 'body'>;

/** An attempt of a callback without its headers and body. */
export type CallbackEvent = Omit<CallbackEntry, 'headers' | 'body'>;

/** What happened since the batch before. */
export interface JournalBatch {
  /** The requests that began or ended, in the order of these events. */
  readonly requests: readonly RequestEvent[];
  /** The attempts of callbacks that began or ended. */
  readonly callbacks: readonly CallbackEvent[];
  /** What else has changed. */
  readonly changes: readonly Change[];
  /** The number of records that were dropped because the reader is slow. */
  readonly dropped: number;
}

/** Publishes what happens in a mock to readers. Without a reader, it does next to nothing. */
export class Feed {
  readonly #readers = new Set<Reader>();
  readonly #redactor: Redactor;
  readonly #turns: Turns;
  #isClosed = false;

  constructor(redactor: Redactor, turns: Turns) {
    this.#redactor = redactor;
    this.#turns = turns;
  }

  /** Publishes that a request or an attempt began, changed or ended. */
  publish(record: Kept): void {
    for (const reader of this.#readers) reader.add(record);
  }

  /** Publishes a change. */
  change(change: Change): void {
    for (const reader of this.#readers) reader.change(change);
  }

  /**
   * Reads what happens from now on, in batches without secrets, until the caller stops or the feed
   * ends its readers. A batch without content is a heartbeat.
   *
   * @param signal aborted when the caller stops
   */
  async *read(
    { limit = MOST_PENDING, account }: FeedOptions,
    signal: AbortSignal,
  ): AsyncGenerator<JournalBatch, void> {
    const reader = new Reader(limit);
    this.#readers.add(reader);
    const end = () => reader.end();
    signal.addEventListener('abort', end);
    try {
      // Shows at once that the connection works.
      yield await this.#batch(reader, account);
      while (!this.#isClosed && !reader.isEnded && !signal.aborted) {
        if (await reader.isReady(QUIET)) await sleep(BATCH, undefined, { ref: false });
        if (reader.isEnded) return;
        yield await this.#batch(reader, account);
      }
    } finally {
      signal.removeEventListener('abort', end);
      this.#readers.delete(reader);
    }
  }

  /** Ends all readers, who missed events, so that they start anew. */
  end(): void {
    for (const reader of this.#readers) reader.end();
  }

  /** Ends all readers, also those to come. */
  close(): void {
    this.#isClosed = true;
    this.end();
  }

  async #batch(reader: Reader, account: string | undefined): Promise<JournalBatch> {
    const { records, changes, dropped } = reader.take();
    const requests: RequestEvent[] = [];
    const callbacks: CallbackEvent[] = [];
    for (const record of records) {
      if (account !== undefined && record.account !== account) continue;
      await this.#turns.spend(record.bytes);
      const { headers: _, body: __, ...event } = shown(record, this.#redactor);
      if ('attempt' in event) callbacks.push(event);
      else requests.push(event);
    }
    return { requests, callbacks, changes, dropped };
  }
}

/** What waits for one reader. */
class Reader {
  readonly #limit: number;
  readonly #records = new Set<Kept>();
  readonly #changes = new Set<Change>();
  #dropped = 0;
  #onWake: (() => void) | undefined;
  isEnded = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(record: Kept): void {
    // In the order of the latest event of each.
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

  #wake(): void {
    this.#onWake?.();
  }

  /** Resolves when something waits, or after a time in ms. */
  async isReady(timeout: number): Promise<boolean> {
    const isReady = () => this.#records.size > 0 || this.#changes.size > 0;
    if (isReady()) return true;
    if (this.isEnded) return false;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeout);
      timer.unref();
      this.#onWake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onWake = undefined;
    return isReady();
  }
}
