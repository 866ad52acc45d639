import type { JournalRecord } from './record.ts';

/** Counts, for each account, the records that a journal removed to make room for newer ones. */
export class DroppedRecords {
  /** The key is an account; `undefined` stands for all accounts. */
  readonly #counts = new Map<string | undefined, { count: number; newestId: number }>();
  /** Dropped before their key was checked, such as a request with a body longer than the journal. */
  #undecided = new WeakSet<JournalRecord>();

  add(record: JournalRecord): void {
    this.#add(undefined, record.id);
    if (record.account !== null) this.#add(record.account, record.id);
    else if (!record.ended) this.#undecided.add(record);
  }

  /** Must be called when a record that the journal does not have has changed. */
  note(record: JournalRecord): void {
    const { account } = record;
    // Nobody has compared it, whatever its id.
    if (account !== null && this.#undecided.delete(record)) this.#add(account, Infinity);
  }

  /** How many were dropped of an account, or of all; 0 if none of them came after `since`. */
  count(account?: string, since = 0): number {
    const { count = 0, newestId = 0 } = this.#counts.get(account) ?? {};
    return newestId > since ? count : 0;
  }

  clear(account?: string): void {
    const all = this.#counts.get(undefined);
    if (account === undefined) {
      this.#counts.clear();
      this.#undecided = new WeakSet();
    } else if (all !== undefined) {
      all.count -= this.count(account);
      this.#counts.delete(account);
    }
  }

  #add(account: string | undefined, id: number): void {
    const known = this.#counts.get(account);
    if (known === undefined) {
      this.#counts.set(account, { count: 1, newestId: id });
    } else {
      known.count++;
      known.newestId = Math.max(known.newestId, id);
    }
  }
}
