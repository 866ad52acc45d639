import { bytesOf, type JournalRecord, type RecordKind } from '../mock/journal/record.ts';
import { StoredRecord } from '../mock/journal/stored-record.ts';
import type { Follower } from '../mock/store/store.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import { compare } from './event-reader.ts';

/** How long what is written of records waits for more of it, in ms. */
const PATIENCE = 5;
/**
 * What is written of a record: what happened, its journal, its id, its name, its size, its account, its
 * entry.
 */
const RECORD = /^(\w+) (\w+) (\d*) (\S+) (\d+) (\S+) (.*)$/s;
/** What stands for no account. */
const NOBODY = '-';

/** The records of all processes: writes those of this one, and reads all in their order. */
export class SharedRecords {
  readonly #peer: string;
  readonly #show: ((record: JournalRecord) => object) | undefined;
  readonly #write: (args: string[]) => Promise<unknown>;
  /** The records that have not ended, by their names. */
  readonly #records = new Map<string, JournalRecord | StoredRecord>();
  /** The names of the records of this process. */
  readonly #names = new WeakMap<JournalRecord, string>();
  /** What is to be written. A record that ends soon is written once. */
  readonly #queued = new Map<JournalRecord, 'begin' | 'end' | 'whole'>();
  #flushing: NodeJS.Timeout | undefined;
  /** The events with which records began. */
  readonly #began = new WeakMap<JournalRecord, string>();
  #made = 0;
  /** Is told what happens to records. */
  follower: Follower | undefined;

  /**
   * @param peer the name of this process
   * @param show makes the entry of a record, without secrets; `undefined` if no record is kept
   * @param write writes four texts for each record: what happened, its journal, its name, its entry
   */
  constructor(
    peer: string,
    show: ((record: JournalRecord) => object) | undefined,
    write: (args: string[]) => Promise<unknown>,
  ) {
    this.#peer = peer;
    this.#show = show;
    this.#write = write;
  }

  /** Adds a record of this process. */
  begin(record: JournalRecord): void {
    if (this.#show === undefined) return;
    const name = `${this.#peer}-${++this.#made}`;
    this.#records.set(name, record);
    this.#names.set(record, name);
    this.#queue(record, 'begin');
  }

  /** Ends a record of this process. */
  end(record: JournalRecord): void {
    record.ended = true;
    // What came while the store did not answer is in the log alone.
    const isLost = record.reason === 'store-unavailable' && this.#queued.delete(record);
    if (isLost) this.#forget([record]);
    if (isLost || !this.#names.has(record)) this.follower?.ended(record);
    else this.#queue(record, this.#queued.has(record) ? 'whole' : 'end');
  }

  /** Notes what is to be written: with others, soon, and in the order of their begin. */
  #queue(record: JournalRecord, what: 'begin' | 'end' | 'whole'): void {
    this.#queued.set(record, what);
    this.#flushing ??= setTimeout(() => this.flush(), PATIENCE).unref();
  }

  /** Writes what waits. */
  flush(): void {
    clearTimeout(this.#flushing);
    this.#flushing = undefined;
    const queued = [...this.#queued];
    if (queued.length === 0) return;
    this.#queued.clear();
    const args = queued.flatMap(([record, what]) => {
      const entry = JSON.stringify(this.#show?.(record));
      const text = `${bytesOf(record)} ${record.account ?? NOBODY} ${entry}`;
      return [what, record.kind, this.#names.get(record) ?? '', text];
    });
    // The next request or test says that the store failed.
    this.#write(args).catch(() => this.#forget(queued.map(([record]) => record)));
  }

  #forget(records: readonly JournalRecord[]): void {
    for (const record of records) this.#records.delete(this.#names.get(record) ?? '');
  }

  /** Reads what was written of a record: `begin`, `end`, or `whole` for both. */
  read(text: string, event: string): void {
    const [, what, kind, id, name = '', size, account = NOBODY, entry = ''] =
      RECORD.exec(text) ?? [];
    const of = account === NOBODY ? null : account;
    if (what !== 'end') {
      const other = () => new StoredRecord(kind as RecordKind, of, Number(size), entry);
      this.#hasBegun(this.#records.get(name) ?? other(), name, Number(id), event);
    }
    if (what !== 'begin') this.#hasEnded(name, of, entry);
  }

  /** The event with which the oldest record began that a journal keeps. */
  oldestEvent(): string | undefined {
    const oldest = this.follower?.oldest().map((record) => this.#began.get(record) ?? '0-0');
    return oldest?.sort(compare)[0];
  }

  #hasBegun(known: JournalRecord | StoredRecord, name: string, id: number, event: string): void {
    const record = recordIn(known);
    record.id = id;
    this.#records.set(name, known);
    this.#began.set(record, event);
    this.follower?.began(record);
  }

  #hasEnded(name: string, account: string | null, entry: string): void {
    const known = this.#records.get(name);
    // Its begin may have been dropped to make room.
    if (known === undefined) return;
    this.#records.delete(name);
    if (known instanceof StoredRecord) known.end(account, entry);
    this.follower?.ended(recordIn(known));
  }
}

function recordIn(known: JournalRecord | StoredRecord): JournalRecord {
  return known instanceof StoredRecord ? known.record : known;
}
