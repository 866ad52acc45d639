import type { StoredRecord } from '../mock/journal/entry.ts';
import { bytesOf, type JournalRecord } from '../mock/journal/record.ts';
import type { RecordEvent } from '../mock/store/event.ts';
import { clearTimeout, setTimeout } from '../timers.ts';

/** How long what is written of records waits for more of it, in ms. */
const PATIENCE = 5;
/** The pause before it is written again, in ms. */
const PAUSE = 200;
/** How many records wait to be written at most. */
const MAX_WAITING = 5000;

/** How many records of each journal were not written. */
export type Dropped = Readonly<Record<JournalRecord['kind'], number>>;

/** What is written at a time. */
export interface Written {
  readonly records: readonly RecordEvent[];
  readonly dropped: Dropped;
}

/** The records of this process that the store does not have, or not as they are. */
export class Outbox {
  readonly #show: (record: JournalRecord) => object;
  readonly #write: (what: Written) => Promise<unknown>;
  /** The numbers of the records that have not ended in the store. */
  readonly #numbers = new Map<JournalRecord, number>();
  readonly #byNumber = new Map<number, JournalRecord>();
  /** The records that the store does not have, in the order of their numbers. */
  #begun = new Set<JournalRecord>();
  /** The records of which it does not know what is new. */
  #changed = new Set<JournalRecord>();
  #dropped = { requests: 0, callbacks: 0 };
  #timer: NodeJS.Timeout | undefined;
  /** What is being written. */
  #writing: Promise<void> | undefined;
  #made = 0;
  #isClosed = false;

  /**
   * @param show makes the entry of a record, without secrets
   * @param write resolves when all processes have it
   */
  constructor(show: (record: JournalRecord) => object, write: (what: Written) => Promise<unknown>) {
    this.#show = show;
    this.#write = write;
  }

  begin(record: JournalRecord): void {
    this.#number(record);
    this.#schedule(PATIENCE);
  }

  /** Says that more is known of a record, or that it has ended. */
  note(record: JournalRecord): void {
    if (!this.#numbers.has(record)) return;
    if (!this.#begun.has(record)) this.#changed.add(record);
    this.#schedule(PATIENCE);
  }

  /** Notes the id of a record that is in the journal now. */
  stored(stored: StoredRecord): void {
    const record = this.#byNumber.get(stored.number);
    if (record === undefined) return;
    record.id = stored.id;
    if (record.kind === 'callbacks') stored.attempt = record;
  }

  /** Begins anew: the store has lost what was written. */
  restart(): void {
    const records = [...this.#numbers.keys()];
    this.#numbers.clear();
    this.#byNumber.clear();
    this.#begun.clear();
    this.#changed.clear();
    for (const record of records) this.#number(record);
    this.#schedule(PATIENCE);
  }

  /** Writes what waits now. Resolves when all processes have it. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#begun.size + this.#changed.size === 0) return;
    this.#writing = this.#flush();
    await this.#writing;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #number(record: JournalRecord): void {
    const number = ++this.#made;
    this.#numbers.set(record, number);
    this.#byNumber.set(number, record);
    this.#begun.add(record);
    if (this.#begun.size <= MAX_WAITING) return;
    const [oldest] = this.#begun;
    if (oldest === undefined) return;
    this.#dropped[oldest.kind]++;
    this.#forget(oldest);
  }

  #forget(record: JournalRecord): void {
    this.#begun.delete(record);
    this.#byNumber.delete(this.#numbers.get(record) ?? 0);
    this.#numbers.delete(record);
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The next call says that the store is unavailable.
      this.flush().catch(() => {});
    }, ms).unref();
  }

  async #flush(): Promise<void> {
    for (const record of this.#begun) {
      // What came while the store did not respond is in the log alone.
      if (record.ended && record.reason === 'store-unavailable') this.#forget(record);
    }
    const [changed, dropped] = [this.#changed, this.#dropped];
    const number = (record: JournalRecord) => this.#numbers.get(record) ?? 0;
    const begun = [...this.#begun].sort((one, two) => number(one) - number(two));
    this.#begun = new Set();
    this.#changed = new Set();
    this.#dropped = { requests: 0, callbacks: 0 };
    const sent = [...changed, ...begun].map((record) => ({ record, ended: record.ended }));
    try {
      await this.#write({ records: sent.flatMap(({ record }) => this.#event(record)), dropped });
      for (const { record, ended } of sent) if (ended) this.#forget(record);
    } catch (error) {
      this.#begun = new Set([...begun, ...this.#begun].filter((one) => this.#numbers.has(one)));
      for (const record of changed) if (this.#numbers.has(record)) this.#changed.add(record);
      for (const record of begun) this.#changed.delete(record);
      this.#dropped.requests += dropped.requests;
      this.#dropped.callbacks += dropped.callbacks;
      this.#schedule(PAUSE);
      throw error;
    } finally {
      this.#writing = undefined;
    }
  }

  #event(record: JournalRecord): RecordEvent[] {
    const number = this.#numbers.get(record);
    if (number === undefined) return [];
    const { kind, ended, account } = record;
    const entry = JSON.stringify(this.#show(record));
    return [[number, kind, ended, bytesOf(record), account, entry]];
  }
}
