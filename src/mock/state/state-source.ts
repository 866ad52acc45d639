import { createHash } from 'node:crypto';
import type { ScopeId, StateLayer, StateRead, Store } from '../store/store.ts';
import { readValues } from './state-values.ts';

export interface Wanted {
  readonly name?: string;
  readonly prefix?: string;
}

/** Where the values of a state are: in this process's store, or in a mock elsewhere. */
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

/** The state in the store, over `state.json`. */
export class StoreSource extends StateSource {
  readonly #store: Store;
  readonly #id: ScopeId;
  readonly #initial: () => Values | undefined;
  #isClosed = false;

  /** @param initial returns the content of `state.json`, which a reload replaces */
  constructor(store: Store, id: ScopeId, initial: () => Values | undefined) {
    super();
    this.#store = store;
    this.#id = id;
    this.#initial = initial;
  }

  /** Stops writing: the account is gone, and a later one may have its id. */
  close(): void {
    this.#isClosed = true;
  }

  async read(): Promise<StateRead> {
    const { layers, version } = await this.#store.readState(this.#id);
    const initial = initialLayer(this.#initial());
    return { layers: [...layers, initial.layer], version: `${version}${initial.suffix}` };
  }

  async write(changes: StateLayer, since?: StateRead): Promise<string | undefined> {
    if (this.#isClosed) return '';
    const { layer, suffix } = initialLayer(this.#initial());
    if (since !== undefined && !since.version.endsWith(suffix)) return undefined;
    const stored = new Map<string, string | null | undefined>(changes);
    for (const [name, json] of changes) {
      if (json === null && !layer.has(name)) stored.set(name, undefined);
    }
    const before = since?.version.slice(0, -suffix.length);
    const version = await this.#store.writeState(this.#id, stored, before);
    return version === undefined ? undefined : `${version}${suffix}`;
  }
}

type Values = Readonly<Record<string, unknown>>;

/**
 * `state.json` as a layer, and a suffix for versions, the same in each process with these values.
 */
interface InitialLayer {
  readonly layer: StateLayer;
  readonly suffix: string;
}

const NOTHING: Values = {};
const LAYERS = new WeakMap<Values, InitialLayer>();

function initialLayer(values = NOTHING): InitialLayer {
  const known = LAYERS.get(values);
  if (known !== undefined) return known;
  const layer = readValues(values);
  const initial = { layer, suffix: `-${hashOf(layer)}` };
  LAYERS.set(values, initial);
  return initial;
}

function hashOf(layer: StateLayer): string {
  if (layer.size === 0) return '';
  const sorted = [...layer].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 12);
}
