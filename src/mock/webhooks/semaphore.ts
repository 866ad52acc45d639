/** Limits how many functions run at the same time. Others wait in the order of their calls. */
export class Semaphore {
  #free: number;
  /** Called with whether the function may run. */
  readonly #waiting = new Set<(mayRun: boolean) => void>();

  /** @param count how many functions may run at the same time */
  constructor(count: number) {
    this.#free = count;
  }

  /**
   * @param signal aborted when the function should no longer run
   * @returns its result; `undefined` if it did not run
   */
  async run<Result>(signal: AbortSignal, act: () => Promise<Result>): Promise<Result | undefined> {
    if (!(await this.#acquire(signal))) return undefined;
    try {
      return await act();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else next(true);
    }
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    return await new Promise((resolve) => {
      const leave = () => end(false);
      const end = (mayRun: boolean) => {
        this.#waiting.delete(end);
        signal.removeEventListener('abort', leave);
        resolve(mayRun);
      };
      this.#waiting.add(end);
      signal.addEventListener('abort', leave);
    });
  }
}
