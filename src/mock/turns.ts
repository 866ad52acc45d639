import { nextTurn } from '../timers.ts';

/** How much of what was received is worked on in one turn of the event loop, in bytes. */
export const LONGEST_TURN = 65_536;

/**
 * Divides long work into turns of the event loop, so that requests are answered in between. Whatever
 * works on the journal shares them: a turn is no longer if many read it at the same time.
 */
export class Turns {
  #left = LONGEST_TURN;
  #latest: Promise<void> = Promise.resolve();

  /**
   * Finds room for a piece of work: in this turn of the event loop, or in a later one for which
   * nothing else was waiting.
   *
   * @param bytes how much of what was received is worked on next
   * @returns what to await before the work; `undefined` where there is room in this turn
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
