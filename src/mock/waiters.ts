import { clearTimeout, setTimeout } from '../timers.ts';
import { type Filter, matches } from './journal-filter.ts';
import type { JournalRecord } from './journal-record.ts';

/** What somebody waits for. */
export interface Wait {
  readonly filter: Filter;
  /** How many records have to match. */
  readonly count: number;
  /** In ms. */
  readonly timeout: number;
  /** Aborted when nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiter extends Pick<Wait, 'filter' | 'count'> {
  /** The ids of the records that match so far. */
  readonly found: Set<number>;
  readonly end: () => void;
}

/** Those who wait for records of a journal. Once a wait has begun, it looks at what is new only. */
export class Waiters {
  readonly #waiters = new Set<Waiter>();

  /**
   * Resolves when as many records match as are waited for, when the time is over, or when nobody
   * waits any more.
   *
   * @param search calls back with the records that match already, until it is over
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

  /** Shows a record that was changed to those who wait. */
  changed(record: JournalRecord): void {
    for (const waiter of this.#waiters) {
      if (matches(record, waiter.filter)) found(waiter, record);
      else waiter.found.delete(record.id);
    }
  }

  /** Counts a record no more. */
  dropped(id: number): void {
    for (const waiter of this.#waiters) waiter.found.delete(id);
  }

  /** Ends every wait: nothing more will come. */
  close(): void {
    for (const { end } of this.#waiters) end();
  }
}

function found({ found, count, end }: Waiter, { id }: JournalRecord): void {
  found.add(id);
  if (found.size >= count) end();
}
