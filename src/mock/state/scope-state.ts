import { types } from 'node:util';
import { MomoMockError } from '../../errors.ts';
import { MOST_STATE_ATTEMPTS } from '../limits.ts';
import type { StateLayer, StateRead } from '../store/store.ts';
import type { State, StateDraft } from './state.ts';
import { checkName, checkSize, sizeOf, stateInvalid, stateJson } from './state-values.ts';

/** Where the values of a state are: in the store of this process, or in a mock elsewhere. */
export interface StateSource {
  /** @param name only this value is needed, if it is given. @param prefix only these are */
  read(want?: { readonly name?: string; readonly prefix?: string }): Promise<StateRead>;
  /**
   * Writes all changes, or none. `null` deletes a value.
   *
   * @param read what the changes depend on: nothing is written if it has changed since
   * @returns the version after it; `undefined` if it was not written
   * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`
   */
  write(changes: StateLayer, read?: StateRead): Promise<string | undefined>;
}

/** The state of an account, or of the whole service. Its calls run one after the other. */
export class ScopeState implements State {
  #source: StateSource;
  #last: Promise<unknown> = Promise.resolve();

  constructor(source: StateSource) {
    this.#source = source;
  }

  /** Writes nothing from now on: its account is gone, and a later one may have its id. */
  close(): void {
    this.#source = { ...this.#source, write: async () => '' };
  }

  async get(name: string): Promise<unknown> {
    return await this.#inTurn(async () =>
      valueIn((await this.#source.read({ name })).layers, name),
    );
  }

  async set(name: string, value: unknown): Promise<void> {
    await this.write(new Map([[checkName(name), stateJson(value)]]));
  }

  async delete(name: string): Promise<void> {
    await this.write(new Map([[checkName(name), null]]));
  }

  async list(prefix = ''): Promise<[name: string, value: unknown][]> {
    return await this.#inTurn(async () =>
      listIn((await this.#source.read({ prefix })).layers, prefix),
    );
  }

  /** The values, and their version. */
  async read(): Promise<StateRead> {
    return await this.#inTurn(() => this.#source.read());
  }

  /** Makes all changes, or none. `null` deletes. As {@link StateSource.write}. */
  async write(changes: StateLayer, read?: StateRead): Promise<string | undefined> {
    return await this.#inTurn(() => this.#source.write(changes, read));
  }

  async update(name: string, change: (value: unknown) => unknown): Promise<unknown> {
    checkName(name);
    return await this.#transact({ name }, (draft) => {
      const value = synchronous(change(draft.get(name)));
      if (value === undefined) draft.delete(name);
      else draft.set(name, value);
      return draft.get(name);
    });
  }

  async transaction<Result>(work: (draft: StateDraft) => Result): Promise<Result> {
    return await this.#transact({}, work);
  }

  /** Runs a function on what was read, again while somebody else is faster. */
  #transact<Result>(want: { name?: string }, work: (draft: StateDraft) => Result): Promise<Result> {
    return this.#inTurn(async () => {
      for (let attempt = 1; attempt <= MOST_STATE_ATTEMPTS; attempt++) {
        const read = await this.#source.read(want);
        const draft = new Draft(read.layers);
        const result = synchronous(work(draft));
        const version = await this.#source.write(draft.changes, read);
        if (version !== undefined) return result;
      }
      throw alwaysChanged();
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

/** The draft of a transaction: changes over what was read. */
class Draft implements StateDraft {
  readonly changes = new Map<string, string | null>();
  readonly #layers: readonly StateLayer[];
  /** The size of the names and values that were written, in bytes. */
  #bytes = 0;

  constructor(layers: readonly StateLayer[]) {
    this.#layers = [this.changes, ...layers];
  }

  get(name: string): unknown {
    return valueIn(this.#layers, name);
  }

  set(name: string, value: unknown): void {
    this.#put(checkName(name), stateJson(value));
  }

  delete(name: string): void {
    this.#put(checkName(name), null);
  }

  list(prefix = ''): [name: string, value: unknown][] {
    return listIn(this.#layers, prefix);
  }

  /** Keeps as much as a state can have at most, before it is written. */
  #put(name: string, json: string | null): void {
    this.#bytes += sizeOf(name, json) - sizeOf(name, this.changes.get(name));
    checkSize(0, this.#bytes);
    this.changes.set(name, json);
  }
}

/** A copy of the value with a name; `undefined` if there is none. */
export function valueIn(layers: readonly StateLayer[], name: string): unknown {
  const json = layers.find((layer) => layer.has(name))?.get(name);
  return json == null ? undefined : JSON.parse(json);
}

/** Copies of all values whose names begin with a prefix, by name. */
export function listIn(
  layers: readonly StateLayer[],
  prefix: string,
): [name: string, value: unknown][] {
  const all = new Map(layers.toReversed().flatMap((layer) => [...layer]));
  const found = [...all].flatMap(([name, json]): [string, string][] =>
    json !== null && name.startsWith(prefix) ? [[name, json]] : [],
  );
  found.sort(([a], [b]) => (a < b ? -1 : 1));
  return found.map(([name, json]) => [name, JSON.parse(json)]);
}

function alwaysChanged(): MomoMockError {
  const most = MOST_STATE_ATTEMPTS.toLocaleString('en');
  const text = `Failed to write the state: others changed it at each of ${most} attempts. Freeze the clock or stop the requests that change it, and try again.`;
  return new MomoMockError('MOMO_MOCK_STATE_CHANGED', text);
}

/** Refuses a promise, since the state may have changed before it settles. */
function synchronous<Result>(result: Result): Result {
  if (!types.isPromise(result)) return result;
  result.catch(() => {});
  throw stateInvalid('the function is asynchronous. Await what it needs before you call it');
}
