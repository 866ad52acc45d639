/** Values by name, as JSON. `null` hides a value in the layers below. */
export type StateLayer = ReadonlyMap<string, string | null>;

/** The state of an account, or of all accounts, at one version. */
export interface StateRead {
  /** The layers of values. The first layer that has a name decides. */
  readonly layers: readonly StateLayer[];
  /** Differs after each change of a value in the layers. */
  readonly version: string;
}

export interface Wanted {
  readonly name?: string;
  readonly prefix?: string;
}

/** Where the values of a state are: in an account, or in a mock elsewhere. */
export abstract class StateSource {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs calls one after the other, so that this process does not fail its own writes. */
  inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(call);
    this.#last = done.catch(() => {});
    return done;
  }

  abstract read(want?: Wanted): Promise<StateRead>;

  /**
   * Writes all changes, or none. `null` deletes a value.
   *
   * @param since writes only if nothing has changed since this read
   * @returns the new version; `undefined` if nothing was written
   * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`
   */
  abstract write(changes: StateLayer, since?: StateRead): Promise<string | undefined>;
}
