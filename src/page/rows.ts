import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Entries, Entry } from './entries.ts';

/** Tells whether an entry is to be shown. */
export type Matcher<Shown> = (entry: Shown) => boolean;

/** Rows of a table, the newest first. */
export interface Rows<Shown extends Entry> {
  readonly rows: readonly Shown[];
  readonly matches: Matcher<Shown>;
  /** The number of entries that match. */
  readonly matching: number;
  /** The number of matching entries that came since the rows were frozen. */
  readonly fresh: number;
  /** The id of the newest entry when the rows were chosen. */
  readonly newest: number;
  /** How often entries had been removed by then. */
  readonly cleared: number;
}

/** Chooses the newest entries that match. */
export function newestRows<Shown extends Entry>(
  { list, newest, cleared }: Entries<Shown>,
  matches: Matcher<Shown>,
  most: number,
): Rows<Shown> {
  const matching = list.filter(matches);
  const rows = matching.slice(-most).reverse();
  return { rows, matches, matching: matching.length, fresh: 0, newest, cleared };
}

/** The same rows with their newest states, so that nothing moves while the user reads. */
export function frozenRows<Shown extends Entry>(
  frozen: Rows<Shown>,
  entries: Entries<Shown>,
): Rows<Shown> {
  const matching = entries.list.filter(frozen.matches);
  const fresh = matching.filter(({ id }) => id > frozen.newest);
  const rows = frozen.rows.map((row) => entries.find(row.id) ?? row);
  return { ...frozen, rows, matching: matching.length, fresh: fresh.length };
}

/** What a table shows of entries. Its rows are frozen while the user reads them. */
export class RowView<Shown extends Entry> {
  readonly entries: Entries<Shown>;
  readonly matches = signal<Matcher<Shown>>(() => true);
  readonly isPaused = signal(false);
  /** Whether the pointer or the focus is on the rows. */
  readonly isRead = signal(false);
  /** The id of the entry whose details are open. */
  readonly openId = signal<number | null>(null);
  readonly rows: ReadonlySignal<Rows<Shown>>;
  readonly #updates = signal(0);
  #last: Rows<Shown> | undefined;

  /** @param most the number of rows */
  constructor(entries: Entries<Shown>, most: number) {
    this.entries = entries;
    this.rows = computed(() => {
      this.#updates.value;
      const matches = this.matches.value;
      const isFrozen = this.isPaused.value || this.isRead.value || this.openId.value !== null;
      const last = this.#last;
      const stays = last?.matches === matches && last.cleared === entries.cleared;
      this.#last =
        isFrozen && stays ? frozenRows(last, entries) : newestRows(entries, matches, most);
      return this.#last;
    });
    effect(() => {
      const { rows } = this.rows.value;
      // What is gone is not read any more.
      if (rows.length === 0) this.isRead.value = false;
      if (!rows.some(({ id }) => id === this.openId.value)) this.openId.value = null;
    });
  }

  /** Shows what has changed in the entries. */
  update(): void {
    this.#updates.value++;
  }

  /** Chooses the rows again, even if they are frozen. */
  renew(): void {
    this.#last = undefined;
    this.update();
  }

  /** Opens the details of an entry, or closes them. */
  toggle(id: number): void {
    this.openId.value = this.openId.value === id ? null : id;
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

/** What a filter looks at. */
interface Filtered {
  readonly account: string | null;
  readonly method: string | null;
  readonly path: string | null;
  readonly operation: string | null;
  readonly reason: string | null;
  readonly status: number | null;
}

/** A function that tells whether a request matches a filter. */
export function matcherOf({ text, account, status }: RequestFilter): Matcher<Filtered> {
  const words = text.trim().toLowerCase();
  const wanted = status.trim().toLowerCase();
  return (entry) =>
    (account === '' || entry.account === account) &&
    (wanted === '' || statusesOf(entry).includes(wanted)) &&
    (words === '' || textOf(entry).includes(words));
}

/** What a status is found by. */
function statusesOf({ status }: Filtered): string[] {
  return status === null ? ['none'] : [`${status}`, `${Math.floor(status / 100)}xx`];
}

function textOf({ method, path, operation, reason }: Filtered): string {
  return `${method ?? ''} ${path ?? ''}\n${operation ?? ''}\n${reason ?? ''}`.toLowerCase();
}
