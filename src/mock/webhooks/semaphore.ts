/** Limits how many functions run at the same time. Others wait in the order of their calls. */
export class Semaphore {
  #free: number;
  /** Each starts a waiting function. */
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** @returns `undefined` if the signal was aborted before its turn, so that it did not run */
  async run<Result>(signal: AbortSignal, act: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.add(resolve));
    try {
      return signal.aborted ? undefined : await act();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else {
        this.#waiting.delete(next);
        next();
      }
    }
  }
}
