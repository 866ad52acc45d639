/** Loads things again when they have changed, not too often and never twice at a time. */
export class Refresher<Name extends string> {
  readonly #load: (name: Name) => Promise<void>;
  readonly #gap: number;
  readonly #busy = new Set<Name>();
  readonly #again = new Set<Name>();

  /**
   * @param load must not reject
   * @param gap the shortest time between two loads of the same thing, in ms
   */
  constructor(load: (name: Name) => Promise<void>, gap: number) {
    this.#load = load;
    this.#gap = gap;
  }

  /** Loads it now, or as soon as may be. Then it is newer than this call. */
  refresh(name: Name): void {
    if (this.#busy.has(name)) this.#again.add(name);
    else void this.#run(name);
  }

  async #run(name: Name): Promise<void> {
    this.#busy.add(name);
    do {
      this.#again.delete(name);
      await this.#load(name);
      await new Promise((resolve) => setTimeout(resolve, this.#gap));
    } while (this.#again.has(name));
    this.#busy.delete(name);
  }
}
