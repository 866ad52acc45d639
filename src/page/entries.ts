/** What requests and attempts of callbacks have in common. */
export interface Entry {
  /** Counts up, from 1. */
  readonly id: number;
  /** ISO 8601. */
  readonly time: string;
  readonly account: string | null;
  /** In ms; `null` while it is in flight. */
  readonly duration: number | null;
}

/** What was new in the entries that were added. */
export interface Added<Kept extends Entry> {
  readonly begun: readonly Kept[];
  readonly ended: readonly Kept[];
}

/** The entries that the page knows of, the newest ones. */
export class Entries<Kept extends Entry> {
  /** Counts how often entries were removed: what was shown before is gone. */
  cleared = 0;
  readonly #hasEnded: (entry: Kept) => boolean;
  readonly #most: number;
  #byId = new Map<number, Kept>();
  #list: readonly Kept[] = [];

  /** @param most the number of entries that are kept */
  constructor(hasEnded: (entry: Kept) => boolean, most: number) {
    this.#hasEnded = hasEnded;
    this.#most = most;
  }

  /** The entries, the oldest first. */
  get list(): readonly Kept[] {
    return this.#list;
  }

  /** The id of the newest entry; 0 without one. */
  get newest(): number {
    return this.#list.at(-1)?.id ?? 0;
  }

  /** The newest state of an entry, if it is kept. */
  find(id: number): Kept | undefined {
    return this.#byId.get(id);
  }

  /** Adds entries, or new states of them. One that has ended is never in flight again. */
  add(entries: readonly Kept[]): Added<Kept> {
    const begun: Kept[] = [];
    const ended: Kept[] = [];
    const oldest = this.#list.length < this.#most ? 0 : (this.#list[0]?.id ?? 0);
    for (const entry of entries) {
      const known = this.#byId.get(entry.id);
      const hadEnded = known !== undefined && this.#hasEnded(known);
      const hasEnded = this.#hasEnded(entry);
      // What has made room for others does not come back.
      if ((known === undefined && entry.id < oldest) || (hadEnded && !hasEnded)) continue;
      if (known === undefined) begun.push(entry);
      if (hasEnded && !hadEnded) ended.push(entry);
      this.#byId.set(entry.id, entry);
    }
    this.#order();
    return { begun, ended };
  }

  /**
   * Takes over the list of the server, after others were removed there.
   *
   * @param entries the newest entries that the server has, the oldest first
   * @param total how many it has
   * @param asked the id of the newest entry when the server was asked; those after it stay
   */
  replace(entries: readonly Kept[], total: number, asked: number): Added<Kept> {
    const ids = new Set(entries.map(({ id }) => id));
    const oldest = total > entries.length ? (entries[0]?.id ?? 0) : 0;
    const gone = this.#list.filter(({ id }) => id >= oldest && id <= asked && !ids.has(id));
    for (const { id } of gone) this.#byId.delete(id);
    if (gone.length > 0) this.cleared++;
    this.#order();
    return this.add(entries);
  }

  /** Forgets all entries. */
  clear(): void {
    this.#byId.clear();
    this.#list = [];
    this.cleared++;
  }

  #order(): void {
    const sorted = [...this.#byId.values()].sort((one, two) => one.id - two.id);
    for (const { id } of sorted.slice(0, -this.#most)) this.#byId.delete(id);
    this.#list = sorted.slice(-this.#most);
  }
}
