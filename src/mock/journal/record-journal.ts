import type { Redactor } from '../redaction/redaction.ts';
import { type Change, Feed, type FeedRecord } from './feed.ts';
import { type RecordLimits, Records } from './records.ts';
import { Turns } from './turns.ts';
import { Waiters } from './waiters.ts';

/** The limits of a journal, and the parts of the mock that it uses. */
export interface JournalOptions extends RecordLimits {
  readonly redactor: Redactor;
  readonly turns?: Turns;
  /** Gets every change of a record. @default a new one */
  readonly feed?: Feed;
}

/** The part of a filter that every journal reads. */
export interface Page {
  /** Only records after the one with this id. */
  readonly since?: number;
  /** The maximum number of records. The newest are selected. */
  readonly limit?: number;
}

/** What a journal keeps. */
export interface Kind<Item, Filter, Entry> {
  /** What has changed when the journal is emptied. */
  readonly change: Change;
  /** The size of a record in bytes, for the limits and for the work to show it. */
  bytesOf(record: Item): number;
  /** The cost of matching a record against a filter, as a number of bytes to process. */
  costOf(record: Item, filter: Filter): number;
  /** Whether a record matches a filter. `limit` does not count here. */
  matches(record: Item, filter: Filter): boolean;
  /** The entry for a record, without secrets. */
  shown(record: Item, redactor: Redactor): Entry;
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

/** The entries of a result as an array. */
export async function entriesOf<Entry>({ entries }: Found<Entry>): Promise<Entry[]> {
  const all: Entry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

/** The newest records of a kind, in order of arrival, up to a limit. */
export class RecordJournal<Item extends FeedRecord, Filter extends Page, Entry> {
  /** Whether {@link close} was called. */
  isClosed = false;
  protected readonly redactor: Redactor;
  protected readonly records: Records<Item>;
  readonly #kind: Kind<Item, Filter, Entry>;
  readonly #turns: Turns;
  readonly #feed: Feed;
  readonly #waiters: Waiters<Item, Filter>;

  constructor(kind: Kind<Item, Filter, Entry>, options: JournalOptions) {
    const { redactor, turns = new Turns(), feed = new Feed(), ...limits } = options;
    this.redactor = redactor;
    this.#kind = kind;
    this.#turns = turns;
    this.#feed = feed;
    this.#waiters = new Waiters((record, filter) => kind.matches(record, filter));
    this.records = new Records(limits, {
      bytesOf: (record) => kind.bytesOf(record),
      onRemove: (id) => this.#waiters.dropped(id),
    });
  }

  /** All records, in order of arrival. They contain secrets. */
  get all(): Iterable<Item> {
    return this.records.after(0);
  }

  /** The record with an id, of one account or of any. It contains secrets. */
  get(id: number, account?: string): Item | undefined {
    const record = this.records.get(id);
    return account === undefined || record?.account === account ? record : undefined;
  }

  /** Adds data to a record, updates its size, and checks it for all waits. */
  note(record: Item, more: Partial<Item>): void {
    Object.assign(record, more);
    if (!this.records.has(record)) return;
    this.records.resize(record);
    this.changed(record);
  }

  /** Checks a changed record for all waits. Its size must be unchanged. */
  changed(record: Item): void {
    if (!this.records.has(record)) return;
    this.#waiters.changed(record);
    this.#feed.publish(record);
  }

  /**
   * The records that match a filter. The work is divided into turns of the event loop, so that
   * requests are answered meanwhile.
   *
   * @param signal aborted when the caller does not need the rest
   */
  async read(filter: Filter, signal?: AbortSignal): Promise<Found<Entry>> {
    const found: Item[] = [];
    await this.#search(
      filter,
      (record) => found.push(record),
      () => signal?.aborted === true,
    );
    const { limit = found.length } = filter;
    const newest = found.slice(Math.max(0, found.length - limit));
    return {
      total: found.length,
      dropped: this.records.dropped,
      entries: this.#show(newest, signal),
    };
  }

  /**
   * Waits until a number of records match a filter, or the time is over. After one search, only
   * changed records are checked.
   *
   * @param timeout the maximum time to wait, in ms
   * @param signal aborted when the caller does not wait any more
   */
  async wait(filter: Filter, count: number, timeout: number, signal?: AbortSignal): Promise<void> {
    await this.#waiters.wait({ filter, count, timeout, signal }, (found, isOver) =>
      this.#search(filter, found, isOver),
    );
  }

  /**
   * Waits until a record that matches a filter changes, or the time is over.
   *
   * @param timeout the maximum time to wait, in ms
   * @param signal aborted when the caller does not wait any more
   */
  async change(filter: Filter, timeout: number, signal?: AbortSignal): Promise<void> {
    await this.#waiters.wait({ filter, count: 1, timeout, signal }, async () => {});
  }

  /** Ends all waits. */
  close(): void {
    this.isClosed = true;
    this.#waiters.close();
  }

  /** Removes all records, or only those of one account. */
  clear(account?: string): void {
    this.records.clear(account);
    this.#feed.change(this.#kind.change);
  }

  /**
   * Calls `found` with each present record that matches a filter. The work is divided into turns of
   * the event loop, but a record is matched and passed on in the same turn.
   */
  async #search(
    filter: Filter,
    found: (record: Item) => void,
    isOver: () => boolean,
  ): Promise<void> {
    const { newest } = this.records;
    for (const record of this.records.after(filter.since ?? 0)) {
      if (record.id > newest || isOver()) return;
      const turn = this.#turns.spend(this.#kind.costOf(record, filter));
      // An await takes longer than matching a record, so only await if needed.
      if (turn !== undefined) await turn;
      if (this.records.has(record) && this.#kind.matches(record, filter)) found(record);
    }
  }

  async *#show(records: readonly Item[], signal?: AbortSignal): AsyncGenerator<Entry> {
    for (const record of records) {
      await this.#turns.spend(this.#kind.bytesOf(record));
      if (signal?.aborted) return;
      yield this.#kind.shown(record, this.redactor);
    }
  }
}
