import type { LocalRecord, StoredRecord } from '../mock/journal/record.ts';
import type { RecordEvent } from '../mock/store/event.ts';
import { clearTimeout, setTimeout } from '../timers.ts';

/** How long changes of records are gathered before they are written, in ms. */
const PATIENCE = 5;
/** The pause before a retry, in ms. */
const PAUSE = 200;
/** The length of entries to write at a time, in characters. */
const MAX_LENGTH = 1_048_576;
/** The maximum number of waiting records, if the journal may have more. */
const MAX_WAITING = 5000;

/** The limits of the journal, which also apply to records that the store does not have yet. */
export interface JournalLimits {
  /** The maximum number of records. */
  readonly size: number;
  /** The maximum size of all records, in bytes. */
  readonly bytes: number;
}

/** How many records of each journal were not written. */
export type Dropped = Readonly<Record<LocalRecord['kind'], number>>;

/** What is written at a time. */
export interface Written {
  readonly records: readonly RecordEvent[];
  readonly dropped: Dropped;
}

/** The records of this process that the store does not have, or has in an older form. */
export class Outbox {
  readonly #size: number;
  readonly #maxBytes: number;
  readonly #show: (record: LocalRecord) => object;
  readonly #write: (what: Written) => Promise<unknown>;
  /** The numbers of the records that have not ended in the store. */
  readonly #numbers = new Map<LocalRecord, number>();
  readonly #byNumber = new Map<number, LocalRecord>();
  /** The records that the store does not have. */
  readonly #begun = new Set<LocalRecord>();
  /** The records that the store has in an older form. */
  readonly #changed = new Set<LocalRecord>();
  #bytes = 0;
  #dropped = { requests: 0, callbacks: 0 };
  #timer: NodeJS.Timeout | undefined;
  /** The running write, if any. */
  #writing: Promise<void> | undefined;
  #lastNumber = 0;
  #isClosed = false;

  /**
   * @param limits the journal's limits
   * @param show creates the entry of a record, without secrets
   * @param write resolves once all processes have it
   */
  constructor(
    limits: JournalLimits,
    show: (record: LocalRecord) => object,
    write: (what: Written) => Promise<unknown>,
  ) {
    this.#size = Math.min(limits.size, MAX_WAITING);
    this.#maxBytes = limits.bytes;
    this.#show = show;
    this.#write = write;
  }

  begin(record: LocalRecord): void {
    this.#number(record);
    this.#schedule(PATIENCE);
  }

  /** A record has changed or ended. */
  note(record: LocalRecord): void {
    if (!this.#numbers.has(record)) return;
    if (!this.#begun.has(record)) this.#changed.add(record);
    this.#measure(record);
    this.#schedule(PATIENCE);
  }

  /** Notes the id of a record that is now in the journal. */
  stored(stored: StoredRecord): void {
    const record = this.#byNumber.get(stored.number);
    if (record === undefined) return;
    record.id = stored.id;
    if (record.kind === 'callbacks') stored.attempt = record;
  }

  /** Starts over, because the store has lost its data. */
  restart(): void {
    const records = [...this.#numbers.keys()];
    this.#numbers.clear();
    this.#byNumber.clear();
    this.#begun.clear();
    this.#changed.clear();
    for (const record of records) this.#number(record);
    this.#schedule(PATIENCE);
  }

  /** Writes all waiting records. Resolves once all processes have them. */
  async flush(): Promise<void> {
    const last = this.#lastNumber;
    do {
      while (this.#writing !== undefined) await this.#writing;
      if (this.#begun.size + this.#changed.size === 0) return;
      this.#writing = this.#flush().finally(() => (this.#writing = undefined));
      await this.#writing;
    } while (this.#numberOf(this.#inOrder()[0]) <= last);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #number(record: LocalRecord): void {
    const number = ++this.#lastNumber;
    this.#numbers.set(record, number);
    this.#byNumber.set(number, record);
    this.#begun.add(record);
    this.#measure(record);
  }

  /** Measures a record, and drops the oldest records that the store does not have. */
  #measure(record: LocalRecord): void {
    const { size } = record;
    this.#bytes += size - record.bytes;
    record.bytes = size;
    for (const oldest of this.#begun) {
      if (this.#begun.size <= this.#size && this.#bytes <= this.#maxBytes) return;
      this.#dropped[oldest.kind]++;
      this.#forget(oldest);
    }
  }

  #forget(record: LocalRecord): void {
    this.#bytes -= record.bytes;
    record.bytes = 0;
    this.#begun.delete(record);
    this.#byNumber.delete(this.#numbers.get(record) ?? 0);
    this.#numbers.delete(record);
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The next call reports that the store is unavailable.
      this.flush().catch(() => {});
    }, ms).unref();
  }

  async #flush(): Promise<void> {
    for (const record of this.#begun) {
      // Requests that arrived while the store did not respond are only in the log.
      if (record.ended && record.reason === 'store-unavailable') this.#forget(record);
    }
    const sent: { record: LocalRecord; ended: boolean; isNew: boolean }[] = [];
    const records: RecordEvent[] = [];
    let left = MAX_LENGTH;
    for (const record of [...this.#changed, ...this.#inOrder()]) {
      if (left <= 0) break;
      const event = this.#event(record);
      left -= event[5].length;
      records.push(event);
      this.#changed.delete(record);
      sent.push({ record, ended: record.ended, isNew: this.#begun.delete(record) });
    }
    if (sent.length === 0) return;
    const dropped = this.#dropped;
    this.#dropped = { requests: 0, callbacks: 0 };
    try {
      await this.#write({ records, dropped });
      for (const { record, ended } of sent) if (ended) this.#forget(record);
    } catch (error) {
      const later = new Set(this.#begun);
      this.#begun.clear();
      for (const { record, isNew } of sent) {
        if (isNew || later.has(record)) this.#begun.add(record);
        else this.#changed.add(record);
      }
      for (const record of later) this.#begun.add(record);
      for (const record of this.#begun) this.#changed.delete(record);
      this.#dropped.requests += dropped.requests;
      this.#dropped.callbacks += dropped.callbacks;
      this.#schedule(PAUSE);
      throw error;
    }
  }

  #numberOf(record: LocalRecord | undefined): number {
    return (record && this.#numbers.get(record)) ?? Infinity;
  }

  /** The records that the store does not have, in order of their numbers. */
  #inOrder(): LocalRecord[] {
    return [...this.#begun].sort((a, b) => this.#numberOf(a) - this.#numberOf(b));
  }

  #event(record: LocalRecord): RecordEvent {
    const { kind, ended, account } = record;
    const entry = JSON.stringify(this.#show(record));
    // Includes the response body, which the mock itself does not keep for each request.
    return [this.#numberOf(record), kind, ended, entry.length, account, entry];
  }
}
