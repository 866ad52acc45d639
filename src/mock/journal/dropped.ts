import type { JournalRecord } from './record.ts';

interface Dropped {
  count: number;
  /** The highest id. */
  newest: number;
}

/** Counts, for each account, the records that a journal removed to make room for newer ones. */
export class DroppedRecords {
  total = 0;
  #newest = 0;
  #byAccount = new Map<string, Dropped>();
  /** Dropped before their key was checked, such as a request with a body longer than the journal. */
  #undecided = new WeakSet<JournalRecord>();

  add(record: JournalRecord): void {
    this.total++;
    this.#newest = Math.max(this.#newest, record.id);
    if (record.account !== null) this.#addTo(record.account, record.id);
    else if (!record.ended) this.#undecided.add(record);
  }

  /** Must be called when a record that the journal does not have has changed. */
  note(record: JournalRecord): void {
    const { account } = record;
    // Nobody has compared it, whatever its id.
    if (account !== null && this.#undecided.delete(record)) this.#addTo(account, Infinity);
  }

  /** How many were dropped of an account, or of all; 0 if none of them came after `since`. */
  count(account: string | undefined, since = 0): number {
    const { count, newest } =
      account === undefined
        ? { count: this.total, newest: this.#newest }
        : (this.#byAccount.get(account) ?? { count: 0, newest: 0 });
    return newest > since ? count : 0;
  }

  /** Starts to count again, for all accounts or for one. */
  clear(account?: string): void {
    if (account === undefined) {
      this.total = 0;
      this.#byAccount = new Map();
      this.#undecided = new WeakSet();
    } else {
      this.total -= this.count(account);
      this.#byAccount.delete(account);
    }
  }

  #addTo(account: string, id: number): void {
    const dropped = this.#byAccount.get(account) ?? { count: 0, newest: 0 };
    dropped.count++;
    dropped.newest = Math.max(dropped.newest, id);
    this.#byAccount.set(account, dropped);
  }
}
