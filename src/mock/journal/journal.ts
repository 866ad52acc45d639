import { sleep } from '../../timers.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { Counters } from './counters.ts';
import { DroppedRecords } from './dropped.ts';
import type { RequestEntry, WebhookEntry } from './entry.ts';
import type { Feed } from './feed.ts';
import { type Filter, matches } from './filter.ts';
import { entriesOf, type JournalRecord, type RecordKind } from './record.ts';

export interface JournalOptions {
  readonly kind: RecordKind;
  readonly size: number;
  /** The maximum size of all records, in bytes. @default no limit */
  readonly bytes?: number | undefined;
  readonly redactor: Redactor;
  readonly feed: Feed;
  readonly counters: Counters;
}

export interface FoundEntries<Entry> {
  /** The number of matching records, regardless of `limit`. */
  readonly total: number;
  /**
   * The number of the account's records that were removed to make room for newer ones; 0 if none of
   * them came after `since`.
   */
  readonly dropped: number;
  /** The newest matching records, in order of arrival, without secrets. */
  readonly entries: Entry[];
}

/** The records that match a filter. After one search, only changed records are checked for it. */
interface Watch {
  readonly filter: Filter;
  readonly matching: Set<JournalRecord>;
  /** Called after each change. */
  changed: () => void;
}

export interface Journals {
  readonly requests: Journal<RequestEntry>;
  readonly webhooks: Journal<WebhookEntry>;
}

/** A function to call when no record is left that came after an id. */
interface Awaiting {
  readonly after: number;
  readonly act: () => void;
}

/** The newest records of one kind, in order of arrival. */
export class Journal<Entry extends RequestEntry | WebhookEntry> {
  readonly kind: RecordKind;
  readonly redactor: Redactor;
  isClosed = false;
  /** Those removed for newer ones since the last {@link clear}. */
  readonly dropped = new DroppedRecords();
  readonly #options: JournalOptions;
  readonly #records = new Map<number, JournalRecord>();
  readonly #watches = new Set<Watch>();
  /** The id of the record that was added last. */
  newest = 0;
  /** The newest record that is left. */
  #last: JournalRecord | undefined;
  /** What to do when a record and all older ones until an id are gone. */
  readonly #awaiting = new Map<JournalRecord, Awaiting[]>();
  /**
   * Where to start looking for the oldest record. After removals, a Map finds its first entry
   * slowly.
   */
  #oldest = 1;
  #bytes = 0;

  constructor(options: JournalOptions) {
    this.kind = options.kind;
    this.redactor = options.redactor;
    this.#options = options;
  }

  /** A record with secrets, of one account or of any. */
  get(id: number, account?: string): JournalRecord | undefined {
    const record = this.#records.get(id);
    return account === undefined || record?.account === account ? record : undefined;
  }

  has(filter: Filter): boolean {
    return [...this.#records.values()].some((record) => matches(record, filter));
  }

  add(record: JournalRecord): void {
    record.id = ++this.newest;
    if (this.#records.size === 0) this.#oldest = record.id;
    this.#records.set(record.id, record);
    this.#last = record;
    this.note(record);
  }

  /** Measures a record that has changed or ended, and checks it for all waits. */
  note(record: JournalRecord): void {
    if (!this.#records.has(record.id)) {
      this.dropped.note(record);
      return;
    }
    const { size: length } = record;
    const { size, bytes = Infinity, feed } = this.#options;
    this.#bytes += length - record.bytes;
    record.bytes = length;
    while (this.#records.size > size || this.#bytes > bytes) this.#dropOldest();
    // The record itself may have been the oldest.
    if (!this.#records.has(record.id)) return;
    for (const watch of this.#watches) {
      check(watch, record);
      watch.changed();
    }
    feed.publish(record);
  }

  end(record: JournalRecord): void {
    record.ended = true;
    this.note(record);
    this.#options.counters.count(record);
  }

  /** Collects the records that match a filter when they arrive or change, until {@link unwatch}. */
  watch(filter: Filter): Watch {
    const watch = { filter, matching: new Set<JournalRecord>(), changed: () => {} };
    this.#watches.add(watch);
    return watch;
  }

  unwatch(watch: Watch): void {
    this.#watches.delete(watch);
  }

  /** The matching records with their secrets, in order of arrival. Ignores `limit`. */
  matching(filter: Filter): JournalRecord[] {
    return [...this.#records.values()].filter((record) => matches(record, filter));
  }

  async read({ limit = Infinity, ...filter }: Filter): Promise<FoundEntries<Entry>> {
    const matching = this.matching(filter);
    const newest = matching.slice(Math.max(0, matching.length - limit));
    const read = () => entriesOf(newest, this.redactor);
    const entries = (await this.redactor.during(read)) as Entry[];
    const dropped = this.dropped.count(filter.account, filter.since);
    return { total: matching.length, dropped, entries };
  }

  /**
   * Waits until `count` records match a filter, but at most `timeout` ms.
   *
   * @returns whether they did
   */
  async wait(
    filter: Filter,
    count: number,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const watch = this.watch(filter);
    for (const record of this.#records.values()) {
      if (watch.matching.size >= count) break;
      check(watch, record);
    }
    await this.until(watch, count, timeout, signal).finally(() => this.unwatch(watch));
    return watch.matching.size >= count;
  }

  /** Like {@link wait}, for what a watch has collected. */
  async until(watch: Watch, count: number, timeout: number, signal?: AbortSignal): Promise<void> {
    const end = new AbortController();
    watch.changed = () => {
      if (this.isClosed || watch.matching.size >= count) end.abort();
    };
    watch.changed();
    const signals = signal === undefined ? [end.signal] : [end.signal, signal];
    await sleep(timeout, undefined, { signal: AbortSignal.any(signals) }).catch(() => {});
  }

  close(): void {
    this.isClosed = true;
    for (const { changed } of this.#watches) changed();
  }

  clear(account?: string): void {
    let before: JournalRecord | undefined;
    for (const record of this.#records.values()) {
      const isCleared = account === undefined || record.account === account;
      if (isCleared) this.#remove(record, before);
      else before = record;
    }
    this.dropped.clear(account);
  }

  /** Calls a function as soon as no record is left that has come after an id and until now. */
  whenGone(after: number, act: () => void): void {
    this.#await(this.#last, { after, act });
  }

  /** @param newest of the records that may have to go first */
  #await(newest: JournalRecord | undefined, awaiting: Awaiting): void {
    if (newest === undefined || newest.id <= awaiting.after) {
      awaiting.act();
      return;
    }
    const others = this.#awaiting.get(newest) ?? [];
    others.push(awaiting);
    this.#awaiting.set(newest, others);
  }

  #dropOldest(): void {
    let oldest: JournalRecord | undefined;
    while (oldest === undefined) oldest = this.#records.get(this.#oldest++);
    this.#remove(oldest);
    this.dropped.add(oldest);
  }

  /** @param before the next older record that is left */
  #remove(record: JournalRecord, before?: JournalRecord): void {
    const { id, bytes } = record;
    this.#bytes -= bytes;
    this.#records.delete(id);
    for (const { matching } of this.#watches) matching.delete(record);
    this.#options.feed.remove(record);
    if (this.#last === record) this.#last = before;
    if (this.#awaiting.size === 0) return;
    const awaiting = this.#awaiting.get(record) ?? [];
    this.#awaiting.delete(record);
    for (const each of awaiting) this.#await(before, each);
  }
}

function check({ filter, matching }: Watch, record: JournalRecord): void {
  if (matches(record, filter)) matching.add(record);
  else matching.delete(record);
}
