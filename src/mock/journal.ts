import { Draft } from './draft.ts';
import { clean, type JournalEntry } from './journal-entry.ts';
import { type Filter, matches } from './journal-filter.ts';
import type { Secrets } from './secrets.ts';

/** How much of a request's body is kept, in bytes. */
export const LONGEST_BODY = 65_536;

/** A bounded record of what was received, in order of arrival. */
export class Journal {
  readonly #size: number;
  readonly #secrets: Secrets;
  readonly #waiting = new Set<(isOver?: true) => void>();
  #entries: Draft[] = [];
  /** Where in the ring the oldest entry is: 0 as long as it is not full. */
  #oldest = 0;
  #count = 0;
  #dropped = 0;

  /** @param size how many entries are kept */
  constructor(size: number, secrets: Secrets) {
    this.#size = size;
    this.#secrets = secrets;
  }

  /** How many entries had to make room since the journal was last emptied. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Writes down an arrival. More is filled in with {@link note} as the exchange goes on. */
  open(method: string | null, headers: Draft['headers'], tls: string | null = null): Draft {
    this.#secrets.rememberHeaders(headers);
    const id = ++this.#count;
    const isFull = this.#entries.length >= this.#size;
    const oldest = isFull ? this.#entries[this.#oldest] : undefined;
    const entry = oldest?.isOver
      ? oldest.begin(id, method, headers, tls)
      : new Draft(id, method, headers, tls);
    if (!isFull) this.#entries.push(entry);
    else {
      this.#dropped++;
      if (this.#size > 0) {
        this.#entries[this.#oldest] = entry;
        this.#oldest = (this.#oldest + 1) % this.#size;
      }
    }
    this.changed();
    return entry;
  }

  /** Fills in more of an entry. */
  note(entry: Draft, more: Partial<Draft>): void {
    Object.assign(entry, more);
    this.changed();
  }

  /** Lets those who wait look again: something was filled in. */
  changed(_record?: Draft): void {
    for (const look of this.#waiting) look();
  }

  /** The entries that a filter lets through, in order of arrival, without any key. */
  list(filter: Filter): JournalEntry[] {
    const found = this.#find(filter);
    const { limit = found.length } = filter;
    const redact = this.#secrets.redactor();
    return found.slice(Math.max(0, found.length - limit)).map((entry) => clean(entry, redact));
  }

  /** Waits until a filter lets a number of entries through, or the time (in ms) is over. */
  async wait(filter: Filter, count: number, timeout: number): Promise<void> {
    if (this.#find(filter).length >= count) return;
    await new Promise<void>((done) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        done();
      };
      const look = (isOver?: true) => {
        if (isOver || this.#find(filter).length >= count) end();
      };
      const timer = setTimeout(end, timeout);
      this.#waiting.add(look);
    });
  }

  /** Ends every wait: nothing more will come. */
  close(): void {
    for (const look of this.#waiting) look(true);
  }

  /** Empties the journal; of one account's entries alone where its id is given. */
  clear(account?: string): void {
    const rest = this.#find({}).filter((it) => account !== undefined && it.account !== account);
    this.#entries = rest;
    this.#oldest = 0;
    if (account === undefined) this.#dropped = 0;
  }

  #find(filter: Filter): Draft[] {
    const from = this.#oldest;
    const inOrder = [...this.#entries.slice(from), ...this.#entries.slice(0, from)];
    return inOrder.filter((entry) => matches(entry, filter));
  }
}
