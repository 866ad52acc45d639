/** One thing that an account remembers. */
export interface Remembered {
  /** Restores the account's initial value. */
  reset(): void;
}

/** A value that tests set and clear. */
export class Setting<Value> implements Remembered {
  value: Value | undefined;
  readonly #initial: Value | undefined;

  constructor(initial?: Value) {
    this.#initial = initial;
    this.value = initial;
  }

  reset(): void {
    this.value = this.#initial;
  }
}
