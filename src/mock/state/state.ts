/**
 * The state of handlers: JSON under flat names. Reading a value rounds its whole numbers beyond 2^53. An account reads its own values first, then the
 * values of all accounts, then those in `state.json` of the fixture tree. It writes only its own.
 */
export interface MomoState {
  /** A copy of a value; `undefined` if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows its shape
  get(name: string): Promise<any>;
  /**
   * Sets a value.
   *
   * @param name 1 to 512 characters
   * @param value anything that can be written as JSON, and bigints, at most 1 MiB
   * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`; in a test also `MOMO_MOCK_STATE_REDACTED`, if
   *   the value contains `[redacted]` and this state has redacted values
   */
  set(name: string, value: unknown): Promise<void>;
  /** Deletes a value. In an account, this also hides the value of all accounts. */
  delete(name: string): Promise<void>;
  /** Copies of all values whose names start with a prefix. @param prefix default: all */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows their shape
  list(prefix?: string): Promise<[name: string, value: any][]>;
  /**
   * Changes a value atomically. Over HTTP, `change` runs again if the state was changed in
   * between.
   *
   * @param change gets a copy of the value, and returns the new one; `undefined` removes it
   * @returns the new value
   */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows its shape
  update(name: string, change: (value: any) => unknown): Promise<any>;
  /**
   * Changes several values atomically. If `fn` throws, no value changes. Over HTTP, `fn`
   * runs again if the state was changed in between.
   *
   * @param fn must not be asynchronous
   * @returns the result of `fn`
   */
  transaction<Result>(fn: (draft: MomoStateDraft) => Result): Promise<Result>;
}

/** The state during a transaction. */
export interface MomoStateDraft {
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows its shape
  get(name: string): any;
  set(name: string, value: unknown): void;
  delete(name: string): void;
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows their shape
  list(prefix?: string): [name: string, value: any][];
}
