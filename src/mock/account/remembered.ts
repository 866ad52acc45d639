import type { readScripts } from '../read-scripts.ts';

/** One thing that an account remembers. */
export interface Remembered {
  /** Restores the account's initial value. */
  reset(): void;
  /** Its part of a snapshot, as JSON; `undefined` if there is nothing to save. */
  save(): unknown;
  /**
   * Replaces it with a part of a snapshot, in a new account.
   *
   * @param saved has been checked: it has the form that `save` returns
   */
  // biome-ignore lint/suspicious/noExplicitAny: `SAVED` in restore.ts has its form
  load(saved: any, restoring: Restoring): void;
}

/** Loads an account from a snapshot. */
export interface Restoring {
  /**
   * Loads a part. If it throws a MomoMockError, because the part no longer fits the fixtures, it is
   * reported and left out.
   *
   * @param place in what is loaded, such as `[2]`
   */
  readonly part: (place: string, load: () => void) => void;
  readonly readScripts: typeof readScripts;
}

/** A value that tests set and clear. */
export class Setting<Value> implements Remembered {
  value: Value | undefined;
  readonly #options: SettingOptions<Value>;

  constructor(options: SettingOptions<Value>) {
    this.#options = options;
    this.value = options.initial;
  }

  reset(): void {
    this.value = this.#options.initial;
  }

  save(): unknown {
    const { initial, save } = this.#options;
    // `null`: a test has removed the initial value.
    if (this.value === undefined) return initial === undefined ? undefined : null;
    return save(this.value);
  }

  load(saved: never, { part }: Restoring): void {
    part('', () => {
      this.value = saved === null ? undefined : this.#options.load(saved);
    });
  }
}

interface SettingOptions<Value> {
  readonly initial?: Value | undefined;
  readonly save: (value: Value) => unknown;
  /** Throws a MomoMockError if the value no longer fits the fixtures. */
  readonly load: (saved: never) => Value;
}
