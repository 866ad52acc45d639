import { computed, effect, signal } from '@preact/signals';
import type { RequestEvent, WebhookEvent } from '../mock/journal/feed.ts';

/** The common fields of requests and webhook attempts. */
export type Entry = Pick<RequestEvent & WebhookEvent, 'id' | 'time' | 'account' | 'duration'>;

const MAX_ROWS = 300;

/** The server's newest entries, and their rows, which do not move while the user reads them. */
export class EntryList<Item extends Entry> {
  readonly isPaused = signal(false);
  /** Whether the pointer or the focus is on the rows. */
  readonly isRead = signal(false);
  readonly openId = signal<number | null>(null);
  readonly filter = signal<(entry: Item) => boolean>(() => true);
  /** The entries, the oldest first. */
  readonly list = signal<readonly Item[]>([]);
  /** The newest entry that may have a row. */
  readonly #last = signal(Number.POSITIVE_INFINITY);
  /** Whether new entries wait for {@link showNew}. */
  readonly #isHeld = computed(
    () => this.isPaused.value || this.isRead.value || this.openId.value !== null,
  );
  readonly #hasEnded: (entry: Item) => boolean;
  readonly #maxSize: number;

  /** The rows, the newest first, and the numbers of matching and of new entries. */
  readonly rows = computed(() => {
    const matching = this.list.value.filter(this.filter.value);
    const visible = matching.filter(({ id }) => id <= this.#last.value);
    const rows = visible.slice(-MAX_ROWS).reverse();
    return { rows, matching: matching.length, fresh: matching.length - visible.length };
  });

  constructor(hasEnded: (entry: Item) => boolean, maxSize: number) {
    this.#hasEnded = hasEnded;
    this.#maxSize = maxSize;
    effect(() => this.showNew());
    effect(() => {
      const { rows } = this.rows.value;
      // Nobody reads rows that are gone.
      if (rows.length === 0) this.isRead.value = false;
      if (!rows.some(({ id }) => id === this.openId.value)) this.openId.value = null;
    });
  }

  /** The newest id; 0 if there is no entry. */
  get newest(): number {
    return this.list.peek().at(-1)?.id ?? 0;
  }

  /**
   * Adds or updates entries. An ended entry is never in flight again.
   *
   * @returns the entries that have just ended
   */
  add(entries: readonly Item[]): Item[] {
    const byId = new Map(this.list.peek().map((entry) => [entry.id, entry]));
    const changed = entries.filter(({ id }) => {
      const known = byId.get(id);
      return known === undefined || !this.#hasEnded(known);
    });
    for (const entry of changed) byId.set(entry.id, entry);
    const sorted = [...byId.values()].sort((a, b) => a.id - b.id);
    this.list.value = sorted.slice(-this.#maxSize);
    return changed.filter(this.#hasEnded);
  }

  /**
   * Adopts the server's list, after the server removed entries.
   *
   * @param entries the newest entries on the server, the oldest first
   * @param total how many entries the server has
   * @param newestThen the newest id when the server was asked; later entries stay
   */
  replace(entries: readonly Item[], total: number, newestThen: number): Item[] {
    const ids = new Set(entries.map(({ id }) => id));
    const oldest = total > entries.length ? (entries[0]?.id ?? 0) : 0;
    this.list.value = this.list
      .peek()
      .filter(({ id }) => id < oldest || id > newestThen || ids.has(id));
    return this.add(entries);
  }

  showNew(): void {
    this.#last.value = this.#isHeld.value ? this.newest : Number.POSITIVE_INFINITY;
  }
}

export interface RequestFilter {
  /** Text in the path, the operation or the reason. Letter case does not matter. */
  readonly text: string;
  /** The id of an account; empty for all. */
  readonly account: string;
  /** A status such as `404`, `2xx`, or `none`; empty for all. */
  readonly status: string;
}

export function matcherOf({ text, account, status }: RequestFilter) {
  const words = text.trim().toLowerCase();
  const wanted = status.trim().toLowerCase();
  return (entry: RequestEvent): boolean => {
    const { method, path, operation, reason } = entry;
    const searched = [`${method ?? ''} ${path ?? ''}`, operation, reason].join('\n').toLowerCase();
    const statuses =
      entry.status === null ? ['none'] : [`${entry.status}`, `${`${entry.status}`[0]}xx`];
    return (
      (account === '' || entry.account === account) &&
      (wanted === '' || statuses.includes(wanted)) &&
      searched.includes(words)
    );
  };
}
