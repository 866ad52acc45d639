import { clearTimeout, setTimeout } from '../timers.ts';
import { type Filter, matches } from './journal-filter.ts';
import type { JournalRecord } from './journal-record.ts';

/** What a caller waits for. */
export interface Wait {
  readonly filter: Filter;
  /** The number of records that must match. */
  readonly count: number;
  /** The maximum time to wait, in ms. */
  readonly timeout: number;
  /** Aborted when the caller does not wait any more. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiter extends Pick<Wait, 'filter' | 'count'> {
  /** The ids of the records that match so far. */
  readonly found: Set<number>;
  readonly end: () => void;
}

/** The callers that wait for records. After one search, each wait only checks changed records. */
export class Waiters {
  readonly #waiters = new Set<Waiter>();

  /**
   * Resolves when enough records match, when the time is over, or when the caller does not wait any
   * more.
   *
   * @param search calls `found` with each record that matches already, until `isOver` returns true
   */
  async wait(
    wait: Wait,
    search: (found: (record: JournalRecord) => void, isOver: () => boolean) => Promise<void>,
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
  changed(record: JournalRecord): void {
    for (const waiter of this.#waiters) {
      if (matches(record, waiter.filter)) found(waiter, record);
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

function found({ found, count, end }: Waiter, { id }: JournalRecord): void {
  found.add(id);
  if (found.size >= count) end();
}
