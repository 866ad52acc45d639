/** What every record of a journal has. */
export interface Kept {
  /** Counts up in order of arrival, from 1. */
  readonly id: number;
  readonly account: string | null;
  /** The size for the limit of the journal, in bytes. */
  bytes: number;
}

/** The limits of the records that are kept. */
export interface RecordLimits {
  /** The maximum number of records. */
  readonly size: number;
  /**
   * The maximum size of all records, in bytes.
   *
   * @default no limit
   */
  readonly bytes?: number | undefined;
}

/** How records are measured, and who hears of removed ones. */
export interface RecordCare<Item> {
  /** The size of a record, in bytes. */
  readonly bytesOf: (record: Item) => number;
  /** Called with the id of each record that is removed. */
  readonly onRemove: (id: number) => void;
}

/** The newest records, in order of arrival, up to a limit. */
export class Records<Item extends Kept> {
  readonly #limits: RecordLimits;
  readonly #care: RecordCare<Item>;
  readonly #records = new Map<number, Item>();
  #newest = 0;
  /** The id from which to look for the oldest record. */
  #oldest = 1;
  /** The size of all records. */
  #bytes = 0;
  #dropped = 0;

  constructor(limits: RecordLimits, care: RecordCare<Item>) {
    this.#limits = limits;
    this.#care = care;
  }

  /** The number of records removed for newer ones since the last removal of all. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The id of the newest record; 0 if there was none yet. */
  get newest(): number {
    return this.#newest;
  }

  /** Returns the id of the next record. */
  nextId(): number {
    return ++this.#newest;
  }

  /** Adds a record. Its size is not known until {@link resize}. */
  add(record: Item): void {
    this.#records.set(record.id, record);
  }

  /** The record with an id, if it is kept. */
  get(id: number): Item | undefined {
    return this.#records.get(id);
  }

  has({ id }: Pick<Kept, 'id'>): boolean {
    return this.#records.has(id);
  }

  /** Measures a record that has changed, and removes the oldest ones if there is no room. */
  resize(record: Item): void {
    const bytes = this.#care.bytesOf(record);
    this.#bytes += bytes - record.bytes;
    record.bytes = bytes;
    const { size, bytes: most = Infinity } = this.#limits;
    while (this.#records.size > size || this.#bytes > most) this.#dropOldest();
  }

  /** Removes all records, or only those of one account. */
  clear(account?: string): void {
    for (const record of this.#records.values()) {
      if (account === undefined || record.account === account) this.#remove(record.id);
    }
    if (account === undefined) this.#dropped = 0;
  }

  /** All records after an id, also those that are added meanwhile. */
  *after(since: number): Generator<Item, void> {
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

  #dropOldest(): void {
    while (!this.#records.has(this.#oldest)) this.#oldest++;
    this.#remove(this.#oldest);
    this.#dropped++;
  }

  #remove(id: number): void {
    this.#bytes -= this.#records.get(id)?.bytes ?? 0;
    this.#records.delete(id);
    this.#care.onRemove(id);
  }
}
