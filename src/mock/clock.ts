/** Runs functions later, by a clock that tests can move. */
export interface Timers {
  /** The time in ms since 1970. While a timer runs, it is the time at which the timer was due. */
  now(): number;
  /**
   * Runs a function later. Those that are due at the same time run in the order in which they were
   * set. The clock's `advance` waits until the promise of the function settles.
   *
   * @param ms from now
   * @returns cancels it
   */
  after(ms: number, act: () => unknown): () => void;
}
