/**
 * Limits how many functions run at the same time. Others wait in the order of their calls, until their
 * signals are aborted.
 */
export class Semaphore {
  #free: number;
  /** Each starts a waiting function. */
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** @returns `undefined` if the signal was aborted before its turn, so that it did not run */
  async run<Result>(signal: AbortSignal, act: () => Promise<Result>): Promise<Result | undefined> {
    if (signal.aborted) return undefined;
    if (this.#free > 0) this.#free--;
    else if (!(await this.#turn(signal))) return undefined;
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

  /** Waits for a free place. Returns whether there is one: `false` once the signal is aborted. */
  #turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = () => {
        this.#waiting.delete(start);
        resolve(false);
      };
      const start = () => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(start);
    });
  }
}
