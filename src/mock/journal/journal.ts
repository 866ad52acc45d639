import { clearTimeout, setTimeout } from '../../timers.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { type CallbackEntry, type JournalEntry, type Kept, StoredRecord, shown } from './entry.ts';
import type { Feed } from './feed.ts';
import { costOf, type Filter, matches } from './filter.ts';
import { bytesOf } from './record.ts';
import type { Turns } from './turns.ts';

/** The limits of a journal, and the parts of the mock that it uses. */
export interface JournalOptions {
  /** The maximum number of records. */
  readonly size: number;
  /**
   * The maximum size of all records, in bytes.
   *
   * @default no limit
   */
  readonly bytes?: number | undefined;
  readonly redactor: Redactor;
  readonly turns: Turns;
  /** Gets every change of a record. */
  readonly feed: Feed;
}

/** The result of a filter. */
export interface Found<Entry> {
  /** The number of matching records, regardless of the filter's `limit`. */
  readonly total: number;
  /** The number of records of all accounts that were removed to make room for newer ones. */
  readonly dropped: number;
  /** The newest matching records, in order of arrival, without secrets. */
  readonly entries: AsyncIterable<Entry>;
}

/** A caller that waits for records. After one search, only changed records are checked for it. */
interface Waiter {
  readonly filter: Filter;
  /** The number of records that must match. */
  readonly count: number;
  /** The ids of the records that match so far. */
  readonly found: Set<number>;
  readonly end: () => void;
}

/** The journals of a mock. */
export interface Journals {
  readonly requests: Journal<JournalEntry>;
  readonly callbacks: Journal<CallbackEntry>;
}

/** The newest records of a kind, in order of arrival, up to a limit. */
export class Journal<Entry extends JournalEntry | CallbackEntry> {
  /** Whether {@link close} was called. */
  isClosed = false;
  readonly #redactor: Redactor;
  readonly #size: number;
  readonly #mostBytes: number;
  readonly #turns: Turns;
  readonly #feed: Feed;
  readonly #records = new Map<number, Kept>();
  readonly #waiters = new Set<Waiter>();
  #newest = 0;
  /** The id from which to look for the oldest record. */
  #oldest = 1;
  /** The size of all records. */
  #bytes = 0;
  /** The number of records removed for newer ones since the last removal of all. */
  #dropped = 0;

  constructor({ redactor, turns, feed, size, bytes = Infinity }: JournalOptions) {
    this.#redactor = redactor;
    this.#size = size;
    this.#mostBytes = bytes;
    this.#turns = turns;
    this.#feed = feed;
  }

  /** The number of records removed for newer ones since the last removal of all. */
  get dropped(): number {
    return this.#dropped;
  }

  /** All records, in order of arrival. They contain secrets. */
  get all(): Iterable<Kept> {
    return this.#records.values();
  }

  /** Whether it keeps a record. */
  has({ id }: Kept): boolean {
    return this.#records.has(id);
  }

  /** The record with an id, of one account or of any. It contains secrets. */
  get(id: number, account?: string): Kept | undefined {
    const record = this.#records.get(id);
    return account === undefined || record?.account === account ? record : undefined;
  }

  /** Adds a record, whose id is higher than those before. */
  add(record: Kept): void {
    this.#newest = record.id;
    this.#records.set(record.id, record);
    this.note(record);
  }

  /** Measures a changed record, and checks it for all waits. */
  note(record: Kept): void {
    if (!this.#records.has(record.id)) return;
    const bytes = record instanceof StoredRecord ? record.size : bytesOf(record);
    this.#bytes += bytes - record.bytes;
    record.bytes = bytes;
    while (this.#records.size > this.#size || this.#bytes > this.#mostBytes) this.#dropOldest();
    this.changed(record);
  }

  /** Checks a changed record for all waits. Its size must be unchanged. */
  changed(record: Kept): void {
    if (!this.#records.has(record.id)) return;
    for (const waiter of this.#waiters) {
      if (matches(record, waiter.filter)) found(waiter, record);
      else waiter.found.delete(record.id);
    }
    this.#feed.publish(record);
  }

  /** Counts records that it never had. */
  countDropped(count: number): void {
    this.#dropped += count;
  }

  /** Removes all records. @param dropped how many others were removed before for newer ones */
  restore(dropped: number): void {
    this.clear();
    this.#dropped = dropped;
  }

  /**
   * The records that match a filter. The work is divided into turns of the event loop, so that
   * requests are answered meanwhile.
   *
   * @param signal aborted when the caller does not need the rest
   */
  async read(filter: Filter, signal?: AbortSignal): Promise<Found<Entry>> {
    const found: Kept[] = [];
    await this.#search(
      filter,
      (record) => found.push(record),
      () => signal?.aborted === true,
    );
    const { limit = found.length } = filter;
    const newest = found.slice(Math.max(0, found.length - limit));
    return { total: found.length, dropped: this.#dropped, entries: this.#show(newest, signal) };
  }

  /**
   * Waits until a number of records match a filter, or the time is over. After one search, only
   * changed records are checked.
   *
   * @param timeout the maximum time to wait, in ms
   * @param signal aborted when the caller does not wait any more
   */
  async wait(filter: Filter, count: number, timeout: number, signal?: AbortSignal): Promise<void> {
    await this.#wait(filter, count, timeout, signal, (waiter) => {
      const isOver = () => !this.#waiters.has(waiter);
      void this.#search(filter, (record) => found(waiter, record), isOver);
    });
  }

  /**
   * Waits until a record that matches a filter changes, or the time is over.
   *
   * @param timeout the maximum time to wait, in ms
   * @param signal aborted when the caller does not wait any more
   */
  async change(filter: Filter, timeout: number, signal?: AbortSignal): Promise<void> {
    await this.#wait(filter, 1, timeout, signal, () => {});
  }

  /** Ends all waits. */
  close(): void {
    this.isClosed = true;
    for (const { end } of this.#waiters) end();
  }

  /** Removes all records, or only those of one account. */
  clear(account?: string): void {
    for (const record of this.#records.values()) {
      if (account === undefined || record.account === account) this.#remove(record.id);
    }
    if (account === undefined) this.#dropped = 0;
  }

  async #wait(
    filter: Filter,
    count: number,
    timeout: number,
    signal: AbortSignal | undefined,
    begin: (waiter: Waiter) => void,
  ): Promise<void> {
    if (count === 0) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        this.#waiters.delete(waiter);
        resolve();
      };
      const timer = setTimeout(end, timeout);
      const waiter = { filter, count, found: new Set<number>(), end };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
      else begin(waiter);
    });
  }

  /**
   * Calls `found` with each present record that matches a filter. The work is divided into turns of
   * the event loop, but a record is matched and passed on in the same turn.
   */
  async #search(
    filter: Filter,
    found: (record: Kept) => void,
    isOver: () => boolean,
  ): Promise<void> {
    const newest = this.#newest;
    for (const record of this.#after(filter.since ?? 0)) {
      if (record.id > newest || isOver()) return;
      const turn = this.#turns.spend(costOf(record, filter));
      // An await takes longer than matching a record, so only await if needed.
      if (turn !== undefined) await turn;
      if (this.#records.has(record.id) && matches(record, filter)) found(record);
    }
  }

  /** All records after an id, also those that are added meanwhile. */
  *#after(since: number): Generator<Kept, void> {
    const isMost = this.#newest - since >= this.#records.size;
    if (isMost) {
      for (const record of this.#records.values()) if (record.id > since) yield record;
      return;
    }
    for (let id = since + 1; id <= this.#newest; id++) {
      const record = this.#records.get(id);
      if (record !== undefined) yield record;
    }
  }

  async *#show(records: readonly Kept[], signal?: AbortSignal): AsyncGenerator<Entry> {
    for (const record of records) {
      await this.#turns.spend(record.bytes);
      if (signal?.aborted) return;
      yield shown(record, this.#redactor) as Entry;
    }
  }

  #dropOldest(): void {
    while (!this.#records.has(this.#oldest)) this.#oldest++;
    this.#remove(this.#oldest);
    this.#dropped++;
  }

  #remove(id: number): void {
    this.#bytes -= this.#records.get(id)?.bytes ?? 0;
    this.#records.delete(id);
    for (const waiter of this.#waiters) waiter.found.delete(id);
  }
}

function found({ found, count, end }: Waiter, { id }: Kept): void {
  found.add(id);
  if (found.size >= count) end();
}
