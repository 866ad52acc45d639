import { createHash } from 'node:crypto';
import type { ScopeId, StateLayer, StateRead, Store } from '../store/store.ts';
import { ScopeState } from './scope-state.ts';
import { readValues } from './state-values.ts';

/** The values of `state.json`, on which those of the service and of the accounts lie. */
export class StartState {
  readonly #read: () => Readonly<Record<string, unknown>> | undefined;
  #given: unknown;
  #layer: StateLayer = new Map();
  #version = '';

  /** @param read returns the names and values, which are others after a reload */
  constructor(read: () => Readonly<Record<string, unknown>> | undefined) {
    this.#read = read;
  }

  get layer(): StateLayer {
    const given = this.#read();
    if (given !== this.#given) {
      const layer = readValues(given);
      this.#given = given;
      this.#layer = layer;
      this.#version = versionOf(layer);
    }
    return this.#layer;
  }

  /** The same text for the same values, in each process. */
  get version(): string {
    return this.layer && this.#version;
  }
}

function versionOf(layer: StateLayer): string {
  if (layer.size === 0) return '';
  const sorted = [...layer].sort(([one], [two]) => (one < two ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 12);
}

/** The state of an account, or of the whole service, in the store and over `state.json`. */
export function storedState(store: Store, id: ScopeId, start: StartState): ScopeState {
  const read = async (): Promise<StateRead> => {
    const { layers, version } = await store.readState(id);
    return { layers: [...layers, start.layer], version: `${version}-${start.version}` };
  };
  const write = async (changes: StateLayer, since?: StateRead): Promise<string | undefined> => {
    const [, version, before] = /^(.*)-(\w*)$/.exec(since?.version ?? '') ?? [];
    if (since !== undefined && before !== start.version) return undefined;
    const given = new Map<string, string | null | undefined>(changes);
    for (const [name, json] of changes) {
      if (json === null && !start.layer.has(name)) given.set(name, undefined);
    }
    const after = await store.writeState(id, given, version);
    return after === undefined ? undefined : `${after}-${start.version}`;
  };
  return new ScopeState({ read, write });
}
