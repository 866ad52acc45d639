import { clearTimeout, setTimeout, timeOfDay } from '../timers.ts';
import { type Filter, matches } from './journal-filter.ts';
import { type JournalEntry, type JournalRecord, shown } from './journal-record.ts';
import type { Redactor } from './redaction.ts';
import { Tally } from './tally.ts';

/** How much of a request's body is kept, in bytes. */
export const LONGEST_BODY = 65_536;

/** Somebody who waits for a number of records. */
interface Waiter {
  readonly filter: Filter;
  readonly count: number;
  /** The ids of the records that match so far. */
  readonly found: Set<number>;
  readonly end: () => void;
}

/** The requests that were received, in order of arrival: the newest, up to a bound. */
export class Journal {
  /** How the records ended, also those that made room for others. */
  readonly tally = new Tally();
  readonly #size: number;
  readonly #redactor: Redactor;
  readonly #records = new Map<number, JournalRecord>();
  readonly #waiters = new Set<Waiter>();
  #newest = 0;
  /** No record before it is left. */
  #oldest = 1;
  #dropped = 0;

  /** @param size how many records are kept */
  constructor(size: number, redactor: Redactor) {
    this.#size = size;
    this.#redactor = redactor;
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
    const record: JournalRecord = {
      id: ++this.#newest,
      time: timeOfDay(),
      tls,
      method,
      headers,
      account: null,
      target: null,
      path: null,
      operation: null,
      body: null,
      bodyCut: false,
      status: null,
      source: null,
      file: null,
      variant: null,
      fault: null,
      reason: null,
      durationMs: null,
      aborted: false,
    };
    this.#records.set(record.id, record);
    if (this.#records.size > this.#size) this.#dropOldest();
    this.changed(record);
    return record;
  }

  /** Fills in more of a record. */
  note(record: JournalRecord, more: Partial<JournalRecord>): void {
    Object.assign(record, more);
    this.changed(record);
  }

  /** Shows a record that was changed to those who wait. */
  changed(record: JournalRecord): void {
    if (this.#waiters.size === 0 || !this.#records.has(record.id)) return;
    for (const { filter, count, found, end } of this.#waiters) {
      if (matches(record, filter)) found.add(record.id);
      else found.delete(record.id);
      if (found.size >= count) end();
    }
  }

  /** Counts a record to which nothing more is added. */
  ended(record: JournalRecord): void {
    this.changed(record);
    this.tally.count(record);
  }

  /** The records that match a filter, in order of arrival, without secrets. */
  list(filter: Filter): JournalEntry[] {
    const found = this.#find(filter);
    const { limit = found.length } = filter;
    const newest = found.slice(Math.max(0, found.length - limit));
    return newest.map((record) => shown(record, this.#redactor));
  }

  /**
   * Waits until a number of records match a filter, or the time is over.
   *
   * @param timeout in ms
   */
  async wait(filter: Filter, count: number, timeout: number): Promise<void> {
    const found = new Set(this.#find(filter).map(({ id }) => id));
    if (found.size >= count) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve();
      };
      const timer = setTimeout(end, timeout);
      const waiter = { filter, count, found, end };
      this.#waiters.add(waiter);
    });
  }

  /** Ends every wait: nothing more will come. */
  close(): void {
    for (const { end } of this.#waiters) end();
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
    this.#records.delete(id);
    for (const { found } of this.#waiters) found.delete(id);
  }

  #find(filter: Filter): JournalRecord[] {
    return [...this.#records.values()].filter((record) => matches(record, filter));
  }
}
