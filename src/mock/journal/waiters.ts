import { clearTimeout, setTimeout } from '../../timers.ts';
import type { Kept } from './records.ts';

/** What a caller waits for. */
export interface Wait<Filter> {
  readonly filter: Filter;
  /** The number of records that must match. */
  readonly count: number;
  /** The maximum time to wait, in ms. */
  readonly timeout: number;
  /** Aborted when the caller does not wait any more. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiter<Filter> extends Pick<Wait<Filter>, 'filter' | 'count'> {
  /** The ids of the records that match so far. */
  readonly found: Set<number>;
  readonly end: () => void;
}

/** The callers that wait for records. After one search, each wait only checks changed records. */
export class Waiters<Item extends Kept, Filter> {
  readonly #matches: (record: Item, filter: Filter) => boolean;
  readonly #waiters = new Set<Waiter<Filter>>();

  /** @param matches whether a record matches a filter */
  constructor(matches: (record: Item, filter: Filter) => boolean) {
    this.#matches = matches;
  }

  /**
   * Resolves when enough records match, when the time is over, or when the caller does not wait any
   * more.
   *
   * @param search calls `found` with each record that matches already, until `isOver` returns true
   */
  async wait(
    wait: Wait<Filter>,
    search: (found: (record: Item) => void, isOver: () => boolean) => Promise<void>,
  ): Promise<void> {
    const { filter, count, timeout, signal } = wait;
    if (count === 0) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        this.#waiters.delete(waiter);
        resolve();
      };
      const timer = setTimeout(end, timeout);
      const waiter = { filter, count, found: new Set<number>(), end };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
      else
        void search(
          (record) => found(waiter, record),
          () => !this.#waiters.has(waiter),
        );
    });
  }

  /** Checks a changed record for all waits. */
  changed(record: Item): void {
    for (const waiter of this.#waiters) {
      if (this.#matches(record, waiter.filter)) found(waiter, record);
      else waiter.found.delete(record.id);
    }
  }

  /** Stops counting a record that the journal dropped. */
  dropped(id: number): void {
    for (const waiter of this.#waiters) waiter.found.delete(id);
  }

  /** Ends all waits. */
  close(): void {
    for (const { end } of this.#waiters) end();
  }
}

function found({ found, count, end }: Waiter<unknown>, { id }: Kept): void {
  found.add(id);
  if (found.size >= count) end();
}
