import { costOf, type Filter, matches } from './journal-filter.ts';
import {
  bytesOf,
  type JournalEntry,
  type JournalRecord,
  newRecord,
  shown,
} from './journal-record.ts';
import type { Redactor } from './redaction.ts';
import { Tally } from './tally.ts';
import { Turns } from './turns.ts';
import { Waiters } from './waiters.ts';

/** How much of a request's body is kept, in bytes. */
export const LONGEST_BODY = 65_536;

/** How much a journal keeps, and what it needs of the mock. */
export interface JournalOptions {
  /** How many records are kept. */
  readonly size: number;
  /**
   * How many bytes of requests are kept, as {@link bytesOf} counts them.
   *
   * @default no bound
   */
  readonly bytes?: number | undefined;
  readonly redactor: Redactor;
  readonly turns?: Turns;
}

/** What the journal has for a filter. */
export interface Received {
  /** How many records match, also beyond the filter's `limit`. */
  readonly total: number;
  /** How many records made room for others, of all accounts. */
  readonly dropped: number;
  /** The newest that match, in order of arrival, without secrets. */
  readonly entries: AsyncIterable<JournalEntry>;
}

/** The requests that were received, in order of arrival: the newest, up to a bound. */
export class Journal {
  /** How the records ended, also those that made room for others. */
  readonly tally = new Tally();
  readonly #size: number;
  readonly #mostBytes: number;
  readonly #redactor: Redactor;
  readonly #turns: Turns;
  readonly #records = new Map<number, JournalRecord>();
  readonly #waiters = new Waiters();
  #newest = 0;
  /** No record before it is left. */
  #oldest = 1;
  /** How much the records count. */
  #bytes = 0;
  #dropped = 0;

  constructor({ size, bytes = Infinity, redactor, turns = new Turns() }: JournalOptions) {
    this.#size = size;
    this.#mostBytes = bytes;
    this.#redactor = redactor;
    this.#turns = turns;
  }

  /** How many records made room for others since the journal was last emptied. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Opens the record of a request. What becomes of the request is filled in later.
   *
   * @param headers names in lower case
   * @param tls the TLS mode that the connection began in; `null` without TLS
   */
  open(
    method: string | null,
    headers: JournalRecord['headers'],
    tls: string | null = null,
  ): JournalRecord {
    const record = newRecord(++this.#newest, { method, headers, tls });
    this.#records.set(record.id, record);
    this.note(record, {});
    return record;
  }

  /** Adds to a record, counts its bytes, and shows it to those who wait. */
  note(record: JournalRecord, more: Partial<JournalRecord>): void {
    Object.assign(record, more);
    if (!this.#records.has(record.id)) return;
    const bytes = bytesOf(record);
    this.#bytes += bytes - record.bytes;
    record.bytes = bytes;
    while (this.#records.size > this.#size || this.#bytes > this.#mostBytes) this.#dropOldest();
    this.changed(record);
  }

  /** Shows a record that was changed to those who wait. Its bytes are as they were. */
  changed(record: JournalRecord): void {
    if (this.#records.has(record.id)) this.#waiters.changed(record);
  }

  /** Counts the end of a record, which is not changed any more. */
  ended(record: JournalRecord): void {
    this.changed(record);
    this.tally.count(record);
  }

  /**
   * What was received and matches a filter. It is searched and shown a piece in each turn of the
   * event loop, so that requests are answered meanwhile.
   *
   * @param signal aborted when nobody wants the rest
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
    return { total: found.length, dropped: this.#dropped, entries: this.#show(newest, signal) };
  }

  /**
   * Waits until a number of records match a filter, or the time is over. Only what is new is looked
   * at after the beginning.
   *
   * @param timeout in ms
   * @param signal aborted when nobody waits any more
   */
  async wait(filter: Filter, count: number, timeout: number, signal?: AbortSignal): Promise<void> {
    await this.#waiters.wait({ filter, count, timeout, signal }, (found, isOver) =>
      this.#search(filter, found, isOver),
    );
  }

  /** Ends every wait: nothing more will come. */
  close(): void {
    this.#waiters.close();
  }

  /** Empties the journal; with the id of an account, of its records only. */
  clear(account?: string): void {
    for (const record of this.#records.values()) {
      if (account === undefined || record.account === account) this.#drop(record.id);
    }
    if (account === undefined) this.#dropped = 0;
  }

  #dropOldest(): void {
    while (!this.#records.has(this.#oldest)) this.#oldest++;
    this.#drop(this.#oldest);
    this.#dropped++;
  }

  #drop(id: number): void {
    this.#bytes -= this.#records.get(id)?.bytes ?? 0;
    this.#records.delete(id);
    this.#waiters.dropped(id);
  }

  /**
   * Calls back with each record until now that matches a filter, a piece of the journal in each turn
   * of the event loop. Between the look at a record and its call nothing changes it.
   */
  async #search(
    filter: Filter,
    found: (record: JournalRecord) => void,
    isOver: () => boolean,
  ): Promise<void> {
    const newest = this.#newest;
    for (const record of this.#records.values()) {
      if (record.id > newest || isOver()) return;
      const turn = this.#turns.spend(costOf(record, filter));
      // There are many records, and an await takes longer than looking at one.
      if (turn !== undefined) await turn;
      if (this.#records.has(record.id) && matches(record, filter)) found(record);
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
