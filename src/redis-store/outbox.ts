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
type Dropped = Readonly<Record<LocalRecord['kind'], number>>;

type Write = (records: readonly RecordEvent[], dropped: Dropped) => Promise<unknown>;

/** A record that has not ended in the store. */
interface Item {
  readonly record: LocalRecord;
  readonly number: number;
  /** Whether the store does not have it, and it is not being written. */
  isNew: boolean;
  /** Whether it has changed since it was last written. */
  isChanged: boolean;
}

/** The records of this process that the store does not have, or has in an older form. */
export class Outbox {
  readonly #size: number;
  readonly #maxBytes: number;
  readonly #show: (record: LocalRecord) => object;
  readonly #write: Write;
  readonly #sync: () => Promise<void>;
  /** In order of their numbers. */
  readonly #items = new Map<number, Item>();
  readonly #byRecord = new Map<LocalRecord, Item>();
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
   * @param sync resolves once this process knows the secrets that others got before
   */
  constructor(
    limits: JournalLimits,
    show: (record: LocalRecord) => object,
    write: Write,
    sync: () => Promise<void>,
  ) {
    this.#size = Math.min(limits.size, MAX_WAITING);
    this.#maxBytes = limits.bytes;
    this.#show = show;
    this.#write = write;
    this.#sync = sync;
  }

  begin(record: LocalRecord): void {
    const number = ++this.#lastNumber;
    const item = { record, number, isNew: true, isChanged: true };
    this.#items.set(number, item);
    this.#byRecord.set(record, item);
    this.#measure(record);
    this.#schedule(PATIENCE);
  }

  /** A record has changed or ended. */
  note(record: LocalRecord): void {
    const item = this.#byRecord.get(record);
    if (item === undefined) return;
    item.isChanged = true;
    this.#measure(record);
    this.#schedule(PATIENCE);
  }

  /** Notes the id of a record that is now in the journal. */
  stored(stored: StoredRecord): void {
    const record = this.#items.get(stored.number)?.record;
    if (record === undefined) return;
    record.id = stored.id;
    if (record.kind === 'callbacks') stored.attempt = record;
  }

  /** Starts over, because the store has lost its data. */
  restart(): void {
    const records = [...this.#byRecord.keys()];
    this.#items.clear();
    this.#byRecord.clear();
    for (const record of records) this.begin(record);
  }

  /** Writes all waiting records. Resolves once all processes have them. */
  async flush(): Promise<void> {
    const last = this.#lastNumber;
    do {
      while (this.#writing !== undefined) await this.#writing;
      if (this.#waiting.length === 0) return;
      this.#writing = this.#flush().finally(() => (this.#writing = undefined));
      await this.#writing;
    } while (this.#waiting.some(({ number }) => number <= last));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** The records to write, in order of their numbers. */
  get #waiting(): Item[] {
    return [...this.#items.values()].filter(({ isChanged }) => isChanged);
  }

  /** Measures a record, and drops the oldest records that the store does not have. */
  #measure(record: LocalRecord): void {
    const { size } = record;
    this.#bytes += size - record.bytes;
    record.bytes = size;
    if (this.#items.size <= this.#size && this.#bytes <= this.#maxBytes) return;
    const unsaved = [...this.#items.values()].filter(({ isNew }) => isNew);
    let count = unsaved.length;
    for (const oldest of unsaved) {
      if (count <= this.#size && this.#bytes <= this.#maxBytes) return;
      this.#dropped[oldest.record.kind]++;
      this.#forget(oldest);
      count--;
    }
  }

  #forget({ record, number }: Item): void {
    if (!this.#items.delete(number)) return;
    this.#bytes -= record.bytes;
    record.bytes = 0;
    this.#byRecord.delete(record);
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
    for (const item of this.#items.values()) {
      const { record, isNew } = item;
      // Requests that arrived while the store did not respond are only in the log.
      if (isNew && record.ended && record.reason === 'store-unavailable') this.#forget(item);
    }
    const waiting = this.#waiting;
    const sent: { item: Item; hasEnded: boolean; wasNew: boolean }[] = [];
    let dropped: Dropped = { requests: 0, callbacks: 0 };
    try {
      // A record may hold a secret that another process got before the request arrived.
      await this.#sync();
      const records: RecordEvent[] = [];
      let left = MAX_LENGTH;
      for (const item of waiting) {
        if (left <= 0) break;
        // It can have been dropped meanwhile.
        if (!this.#items.has(item.number)) continue;
        const event = this.#event(item);
        left -= event[5].length;
        records.push(event);
        sent.push({ item, hasEnded: item.record.ended, wasNew: item.isNew });
        item.isNew = false;
        item.isChanged = false;
      }
      if (sent.length === 0) return;
      dropped = this.#dropped;
      this.#dropped = { requests: 0, callbacks: 0 };
      await this.#write(records, dropped);
      for (const { item, hasEnded } of sent) if (hasEnded) this.#forget(item);
    } catch (error) {
      for (const { item, wasNew } of sent) {
        item.isNew = wasNew;
        item.isChanged = true;
      }
      this.#dropped.requests += dropped.requests;
      this.#dropped.callbacks += dropped.callbacks;
      this.#schedule(PAUSE);
      throw error;
    }
  }

  #event({ record, number }: Item): RecordEvent {
    const { kind, ended, account } = record;
    const entry = JSON.stringify(this.#show(record));
    // Includes the response body, which the mock itself does not keep for each request.
    return [number, kind, ended, entry.length, account, entry];
  }
}
