import type { readScripts } from '../responses/read-scripts.ts';

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

/** A value that tests set and clear. It is given and saved as `Given`. */
export class Setting<Given, Value = Given> implements Remembered {
  value: Value | undefined;
  readonly #options: SettingOptions<Given, Value>;

  constructor(options: SettingOptions<Given, Value>) {
    this.#options = options;
    this.value = options.initial;
  }

  /**
   * `undefined` removes it.
   *
   * @throws MomoMockError if the value does not fit the fixtures
   */
  set(given: Given | undefined): void {
    this.value = given === undefined ? undefined : this.#options.read(given);
    this.#options.onChange();
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

  load(saved: Given | null, { part }: Restoring): void {
    part('', () => {
      this.value = saved === null ? undefined : this.#options.read(saved);
    });
  }
}

interface SettingOptions<Given, Value> {
  readonly initial?: Value | undefined;
  /** Throws a MomoMockError if the value does not fit the fixtures. */
  readonly read: (given: Given) => Value;
  readonly save: (value: Value) => Given;
  readonly onChange: () => void;
}
