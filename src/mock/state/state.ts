/**
 * The state of handlers: JSON under flat names. Reading a value rounds its whole numbers beyond 2^53.
 * An account reads its own values first, then the values of all accounts, then those in `state.json`
 * of the fixture tree. It writes only its own.
 */
export interface MomoState {
  /**
   * A copy of a value; `undefined` if there is none.
   *
   * @throws MomoMockError in a test `MOMO_MOCK_STATE_IN_ACCOUNT`, if this is the state of all
   *   accounts and only the state of an account has the value: for `mock.apiKey`, this is
   *   `mock.account().state`
   */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows its shape
  get(name: string): Promise<any>;
  /** As above, with the type of the value. */
  get<Value>(name: string): Promise<Value | undefined>;
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
  /**
   * Copies of all values whose names start with a prefix, by name, as `GET /state` returns them.
   *
   * @param prefix default: all
   * @throws MomoMockError in a test `MOMO_MOCK_STATE_IN_ACCOUNT`, if this is the state of all
   *   accounts and only the state of an account has values with this prefix
   */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows their shape
  list<Value = any>(prefix?: string): Promise<Record<string, Value>>;
  /**
   * Changes a value atomically. Over HTTP, `change` runs again if the state was changed in
   * between.
   *
   * @param change gets a copy of the value, and returns the new one; `undefined` removes it
   * @returns the new value
   */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows its shape
  update<Value = any>(name: string, change: (value: Value) => unknown): Promise<Value>;
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
  get<Value>(name: string): Value | undefined;
  set(name: string, value: unknown): void;
  delete(name: string): void;
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows their shape
  list<Value = any>(prefix?: string): Record<string, Value>;
}
