import { nextTurn } from '../../timers.ts';

/** The maximum amount of data to process in one turn of the event loop, in bytes. */
const LONGEST_TURN = 65_536;

/**
 * Divides long work into turns of the event loop, so that requests are answered in between. All
 * work on the journal shares the turns: several readers at the same time do not make a turn longer.
 */
export class Turns {
  #left = LONGEST_TURN;
  #latest: Promise<void> = Promise.resolve();

  /**
   * Reserves time for a piece of work in this turn of the event loop, or in a later free one.
   *
   * @param bytes the amount of data to process next
   * @returns a promise to await before the work; `undefined` if it fits into this turn
   */
  spend(bytes: number): Promise<void> | undefined {
    if (bytes > this.#left) return this.#spendLater(bytes);
    this.#left -= bytes;
    return undefined;
  }

  async #spendLater(bytes: number): Promise<void> {
    this.#latest = this.#latest.then(() => nextTurn());
    await this.#latest;
    this.#left = LONGEST_TURN - bytes;
  }
}
