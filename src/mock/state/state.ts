/**
 * The state of handlers: JSON under flat names. An account reads its own values first, then those of
 * the service, then those of `state.json` in the fixture tree; it writes its own.
 */
export interface State {
  /** A copy of the value with a name; `undefined` if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows its shape
  get(name: string): Promise<any>;
  /**
   * Sets a value.
   *
   * @param name 1 to 512 characters
   * @param value a value that can be written as JSON, at most 1 MiB
   * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`; in a test also `MOMO_MOCK_STATE_REDACTED`, if the
   *   value has the text `[redacted]` and values of this state are shown with it
   */
  set(name: string, value: unknown): Promise<void>;
  /** Removes a value. */
  delete(name: string): Promise<void>;
  /** Copies of all values whose names begin with a prefix, by name. @param prefix default: all */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows their shape
  list(prefix?: string): Promise<[name: string, value: any][]>;
  /**
   * Changes a value in one step: nobody else changes it in between. Over HTTP, `change` may run more
   * than once, because it runs again if somebody was faster.
   *
   * @param change gets a copy of the value, and returns the new one; `undefined` removes it
   * @returns the new value
   */
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows its shape
  update(name: string, change: (value: any) => unknown): Promise<any>;
  /**
   * Changes several values in one step: nobody else changes any in between. If `work` throws, no value
   * changes. Over HTTP, `work` may run more than once, because it runs again if somebody was faster.
   *
   * @param work must not be asynchronous
   * @returns the result of `work`
   */
  transaction<Result>(work: (draft: StateDraft) => Result): Promise<Result>;
}

/** The state during a transaction. */
export interface StateDraft {
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows its shape
  get(name: string): any;
  set(name: string, value: unknown): void;
  delete(name: string): void;
  // biome-ignore lint/suspicious/noExplicitAny: only the author of a handler knows their shape
  list(prefix?: string): [name: string, value: any][];
}
