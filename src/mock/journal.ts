import { Feed } from './feed.ts';
import { type JournalEntry, type RequestDetails, shown, shownDetails } from './journal-entry.ts';
import { type JournalBatch, journalEvents } from './journal-events.ts';
import { costOf, type Filter, matches } from './journal-filter.ts';
import { bytesOf, type JournalRecord, newRecord } from './journal-record.ts';
import { type RecordLimits, Records } from './records.ts';
import type { Redactor } from './redaction.ts';
import { Tally } from './tally.ts';
import { Turns } from './turns.ts';
import { Waiters } from './waiters.ts';

/** The maximum length of a body that the journal keeps, in bytes. */
export const LONGEST_BODY = 65_536;

/** The limits of a journal, and the parts of the mock that it uses. */
export interface JournalOptions extends RecordLimits {
  readonly redactor: Redactor;
  readonly turns?: Turns;
  /** Gets every change of a record. @default a new one */
  readonly feed?: Feed;
}

/** The result of a filter. */
export interface Received {
  /** The number of matching records, regardless of the filter's `limit`. */
  readonly total: number;
  /** The number of records of all accounts that were removed to make room for newer ones. */
  readonly dropped: number;
  /** The newest matching records, in order of arrival, without secrets. */
  readonly entries: AsyncIterable<JournalEntry>;
}

/** The newest requests that were received, in order of arrival, up to a limit. */
export class Journal {
  /** Counts the outcomes of all records, including removed ones. */
  readonly tally = new Tally();
  /** Whether {@link close} was called. */
  isClosed = false;
  readonly #redactor: Redactor;
  readonly #turns: Turns;
  readonly #feed: Feed;
  readonly #waiters = new Waiters();
  readonly #records: Records;

  constructor({ redactor, turns = new Turns(), feed = new Feed(), ...limits }: JournalOptions) {
    this.#redactor = redactor;
    this.#turns = turns;
    this.#feed = feed;
    this.#records = new Records(limits, (id) => this.#waiters.dropped(id));
  }

  /** The number of records removed for newer ones since the journal was last emptied. */
  get dropped(): number {
    return this.#records.dropped;
  }

  /**
   * Opens the record of a request. The response is added later.
   *
   * @param headers with names in lower case
   * @param tls the TLS mode when the connection was made; `null` without TLS
   */
  open(
    method: string | null,
    headers: JournalRecord['headers'],
    tls: string | null = null,
  ): JournalRecord {
    const record = newRecord(this.#records.nextId(), { method, headers, tls });
    this.#records.add(record);
    this.note(record, {});
    return record;
  }

  /** Adds data to a record, updates its size, and checks it for all waits. */
  note(record: JournalRecord, more: Partial<JournalRecord>): void {
    Object.assign(record, more);
    if (!this.#records.has(record)) return;
    this.#records.resize(record);
    this.changed(record);
  }

  /** Checks a changed record for all waits. Its size must be unchanged. */
  changed(record: JournalRecord): void {
    if (!this.#records.has(record)) return;
    this.#waiters.changed(record);
    this.#feed.request(record);
  }

  /** Counts the outcome of a record that is complete. */
  ended(record: JournalRecord): void {
    this.changed(record);
    this.tally.count(record);
  }

  /**
   * The received requests that match a filter. The work is divided into turns of the event loop, so
   * that requests are answered meanwhile.
   *
   * @param signal aborted when the caller does not need the rest
   */
  async read(filter: Filter, signal?: AbortSignal): Promise<Received> {
    const found: JournalRecord[] = [];
    await this.#search(
      filter,
      (record) => found.push(record),
      () => signal?.aborted === true,
    );
    const { limit = found.length } = filter;
    const newest = found.slice(Math.max(0, found.length - limit));
    return {
      total: found.length,
      dropped: this.#records.dropped,
      entries: this.#show(newest, signal),
    };
  }

  /** The request with an id; `undefined` if there is no record of it. */
  find(id: number, account?: string): RequestDetails | undefined {
    const record = this.#records.get(id);
    if (record === undefined || (account ?? record.account) !== record.account) return undefined;
    return shownDetails(record, this.#redactor, LONGEST_BODY);
  }

  /**
   * What happens from now on, as in {@link Feed.read}; with `account`, only its requests.
   */
  async *follow(
    { since, account }: { since?: string | undefined; account?: string | undefined },
    signal: AbortSignal,
  ): AsyncGenerator<JournalBatch, void> {
    const batches = this.#feed.read(since, this.#records.after(0), signal);
    yield* journalEvents(batches, { account, redactor: this.#redactor, turns: this.#turns });
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
    this.#records.clear(account);
    this.#feed.change('requests');
  }

  /**
   * Calls `found` with each present record that matches a filter. The work is divided into turns of
   * the event loop, but a record is matched and passed on in the same turn.
   */
  async #search(
    filter: Filter,
    found: (record: JournalRecord) => void,
    isOver: () => boolean,
  ): Promise<void> {
    const { newest } = this.#records;
    for (const record of this.#records.after(filter.since ?? 0)) {
      if (record.id > newest || isOver()) return;
      const turn = this.#turns.spend(costOf(record, filter));
      // An await takes longer than matching a record, so only await if needed.
      if (turn !== undefined) await turn;
      if (this.#records.has(record) && matches(record, filter)) found(record);
    }
  }

  async *#show(
    records: readonly JournalRecord[],
    signal?: AbortSignal,
  ): AsyncGenerator<JournalEntry> {
    for (const record of records) {
      await this.#turns.spend(bytesOf(record));
      if (signal?.aborted) return;
      yield shown(record, this.#redactor);
    }
  }
}
