/** Limits how much happens at the same time. What has to wait runs in the order of the calls. */
export class Slots {
  #free: number;
  /** Each gets whether there is a slot for it; otherwise it does not run. */
  readonly #waiting = new Set<(hasSlot: boolean) => void>();

  /** @param count how much may happen at the same time */
  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Runs a function as soon as there is a slot.
   *
   * @param signal aborted when it does not have to run any more
   * @returns its result; `undefined` if it did not run
   */
  async run<Result>(signal: AbortSignal, act: () => Promise<Result>): Promise<Result | undefined> {
    if (!(await this.#take(signal))) return undefined;
    try {
      return await act();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else next(true);
    }
  }

  async #take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    return await new Promise((resolve) => {
      const leave = () => end(false);
      const end = (hasSlot: boolean) => {
        this.#waiting.delete(end);
        signal.removeEventListener('abort', leave);
        resolve(hasSlot);
      };
      this.#waiting.add(end);
      signal.addEventListener('abort', leave);
    });
  }
}
