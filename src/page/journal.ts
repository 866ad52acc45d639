import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { RequestEvent } from '../mock/journal/feed.ts';

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

/** What the table of a journal shows. */
export interface Rows<Shown extends Entry> {
  /** The newest first. */
  readonly rows: readonly Shown[];
  /** The number of entries that match the filter. */
  readonly matching: number;
  /** The number of them that came since the rows were chosen. */
  readonly fresh: number;
}

/** How many entries a journal keeps, and how many of them it shows. */
interface Limits {
  readonly kept: number;
  readonly shown: number;
}

/** The newest entries of the server, and the rows of them, which stay while the user reads them. */
export class Journal<Shown extends Entry> {
  /** Whether the user holds the rows. */
  readonly isPaused = signal(false);
  /** Whether the pointer or the focus is on the rows. */
  readonly isRead = signal(false);
  /** The id of the entry whose details are open. */
  readonly openId = signal<number | null>(null);
  readonly rows: ReadonlySignal<Rows<Shown>>;
  /** The entries, the oldest first. */
  list: readonly Shown[] = [];
  readonly #hasEnded: (entry: Shown) => boolean;
  readonly #limits: Limits;
  readonly #byId = new Map<number, Shown>();
  readonly #updates = signal(0);
  #matches: (entry: Shown) => boolean = () => true;
  /** The rows that were chosen last, and the newest entry then. */
  #chosen: { readonly rows: readonly Shown[]; readonly newest: number } | undefined;

  constructor(hasEnded: (entry: Shown) => boolean, limits: Limits) {
    this.#hasEnded = hasEnded;
    this.#limits = limits;
    this.rows = computed(() => this.#choose());
    effect(() => {
      const { rows } = this.rows.value;
      // What is gone is not read any more.
      if (rows.length === 0) this.isRead.value = false;
      if (!rows.some(({ id }) => id === this.openId.value)) this.openId.value = null;
    });
  }

  /** The id of the newest entry; 0 without one. */
  get newest(): number {
    return this.list.at(-1)?.id ?? 0;
  }

  /** Adds entries, or new states of them. One that has ended is never in flight again. */
  add(entries: readonly Shown[]): Added<Shown> {
    const begun: Shown[] = [];
    const ended: Shown[] = [];
    const oldest = this.list.length < this.#limits.kept ? 0 : (this.list[0]?.id ?? 0);
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
    const sorted = [...this.#byId.values()].sort((one, two) => one.id - two.id);
    for (const { id } of sorted.slice(0, -this.#limits.kept)) this.#byId.delete(id);
    this.list = sorted.slice(-this.#limits.kept);
    return { begun, ended };
  }

  /**
   * Takes over the list of the server, after others were removed there.
   *
   * @param entries the newest entries that the server has, the oldest first
   * @param total how many it has
   * @param asked the id of the newest entry when the server was asked; those after it stay
   */
  replace(entries: readonly Shown[], total: number, asked: number): Added<Shown> {
    const ids = new Set(entries.map(({ id }) => id));
    const oldest = total > entries.length ? (entries[0]?.id ?? 0) : 0;
    const gone = this.list.filter(({ id }) => id >= oldest && id <= asked && !ids.has(id));
    for (const { id } of gone) this.#byId.delete(id);
    if (gone.length > 0) this.#chosen = undefined;
    return this.add(entries);
  }

  /** Forgets all entries. */
  clear(): void {
    this.#byId.clear();
    this.list = [];
    this.renew();
  }

  /** Shows what has changed in the entries. */
  update(): void {
    this.#updates.value++;
  }

  /** Chooses the rows again, even while they are read. */
  renew(): void {
    this.#chosen = undefined;
    this.update();
  }

  /** Shows the entries that match, and no others. */
  filter(matches: (entry: Shown) => boolean): void {
    this.#matches = matches;
    this.renew();
  }

  /** Opens the details of an entry, or closes them. */
  toggle(id: number): void {
    this.openId.value = this.openId.value === id ? null : id;
  }

  #choose(): Rows<Shown> {
    this.#updates.value;
    const isHeld = this.isPaused.value || this.isRead.value || this.openId.value !== null;
    const matching = this.list.filter(this.#matches);
    const { rows, newest } = (isHeld && this.#chosen) || {
      rows: matching.slice(-this.#limits.shown).reverse(),
      newest: this.newest,
    };
    this.#chosen = { rows: rows.map((row) => this.#byId.get(row.id) ?? row), newest };
    const fresh = matching.filter(({ id }) => id > newest).length;
    return { rows: this.#chosen.rows, matching: matching.length, fresh };
  }
}

/** What the user wants to see of the requests. */
export interface RequestFilter {
  /** Text in the path, the operation or the reason, in any letter case. */
  readonly text: string;
  /** The id of an account; empty for all. */
  readonly account: string;
  /** A status such as `404`, `2xx`, or `none`; empty for all. */
  readonly status: string;
}

/** A function that tells whether a request matches a filter. */
export function matcherOf({
  text,
  account,
  status,
}: RequestFilter): (entry: RequestEvent) => boolean {
  const words = text.trim().toLowerCase();
  const wanted = status.trim().toLowerCase();
  return (entry) =>
    (account === '' || entry.account === account) &&
    (wanted === '' || statusesOf(entry).includes(wanted)) &&
    (words === '' || textOf(entry).includes(words));
}

/** What a status is found by. */
function statusesOf({ status }: RequestEvent): string[] {
  return status === null ? ['none'] : [`${status}`, `${Math.floor(status / 100)}xx`];
}

function textOf({ method, path, operation, reason }: RequestEvent): string {
  return `${method ?? ''} ${path ?? ''}\n${operation ?? ''}\n${reason ?? ''}`.toLowerCase();
}
