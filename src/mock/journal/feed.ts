import { randomUUID } from 'node:crypto';
import { clearTimeout, setTimeout, sleep } from '../../timers.ts';
import { MOST_PENDING } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { type CallbackEntry, type JournalEntry, shown } from './entry.ts';
import type { JournalRecord } from './record.ts';
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
  /** The position of an earlier reader, to resume there. */
  readonly since?: string | undefined;
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
  /** The position after the batch, from which a reader can resume. */
  readonly position: string;
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
  /** Differs in every process, so that no reader resumes at a position of another one. */
  #mock = randomUUID().slice(0, 8);
  readonly #readers = new Set<Reader>();
  readonly #redactor: Redactor;
  readonly #turns: Turns;
  #position = 0;
  #isClosed = false;

  constructor(redactor: Redactor, turns: Turns) {
    this.#redactor = redactor;
    this.#turns = turns;
  }

  /** Says where the next event stands in a history that several processes share. */
  at(history: string, position: number): void {
    this.#mock = history;
    this.#position = position - 1;
  }

  /** Publishes that a request or an attempt began, changed or ended. */
  publish(record: JournalRecord): void {
    record.position = ++this.#position;
    for (const reader of this.#readers) reader.add(record);
  }

  /** Publishes a change. */
  change(change: Change): void {
    this.#position++;
    for (const reader of this.#readers) reader.change(change);
  }

  /**
   * Reads what happens from now on, in batches without secrets, until the caller stops or the feed is closed. A batch
   * without content is a sign of life.
   *
   * @param journals all records of each journal, of which those after the position are read first
   * @param signal aborted when the caller stops
   */
  async *read(
    { since, limit = MOST_PENDING, account }: FeedOptions,
    journals: readonly Iterable<JournalRecord>[],
    signal: AbortSignal,
  ): AsyncGenerator<JournalBatch, void> {
    const reader = new Reader(limit);
    this.#readers.add(reader);
    const [mock, position] = since?.split('-') ?? [];
    if (mock === this.#mock) {
      const missed = journals
        .flatMap((records) => [...records])
        .filter((record) => record.position > Number(position));
      for (const record of missed.sort((a, b) => a.position - b.position)) reader.add(record);
    }
    const wake = () => reader.wake();
    signal.addEventListener('abort', wake);
    try {
      // The first batch tells the position.
      yield await this.#batch(reader, account);
      while (!this.#isClosed && !signal.aborted) {
        if (await reader.isReady(QUIET)) await sleep(BATCH, undefined, { ref: false });
        if (this.#isClosed || signal.aborted) return;
        yield await this.#batch(reader, account);
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.#readers.delete(reader);
    }
  }

  /** Ends all readers. */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.wake();
  }

  async #batch(reader: Reader, account: string | undefined): Promise<JournalBatch> {
    const position = `${this.#mock}-${this.#position}`;
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
    return { position, requests, callbacks, changes, dropped };
  }
}

/** What waits for one reader. */
class Reader {
  readonly #limit: number;
  readonly #records = new Set<JournalRecord>();
  readonly #changes = new Set<Change>();
  #dropped = 0;
  #onWake: (() => void) | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(record: JournalRecord): void {
    // In the order of the latest event of each.
    this.#records.delete(record);
    this.#records.add(record);
    if (this.#records.size > this.#limit) {
      const [oldest] = this.#records;
      if (oldest !== undefined) this.#records.delete(oldest);
      this.#dropped++;
    }
    this.wake();
  }

  change(change: Change): void {
    this.#changes.add(change);
    this.wake();
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

  wake(): void {
    this.#onWake?.();
  }

  /** Resolves when something waits, or after a time in ms. */
  async isReady(timeout: number): Promise<boolean> {
    const isReady = () => this.#records.size > 0 || this.#changes.size > 0;
    if (isReady()) return true;
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
