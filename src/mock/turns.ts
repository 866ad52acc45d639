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
   * Resolves when so much can be worked on: immediately, or in a turn of the event loop for which
   * nothing else was waiting.
   *
   * @param bytes how much of what was received is worked on next
   */
  async spend(bytes: number): Promise<void> {
    if (bytes > this.#left) {
      this.#latest = this.#latest.then(() => nextTurn());
      await this.#latest;
      this.#left = LONGEST_TURN;
    }
    this.#left -= bytes;
  }
}
