import { randomBytes } from 'node:crypto';
import { types } from 'node:util';
import type { State, StateDraft } from './state.ts';
import type { StateChange } from './state-change.ts';
import { type Changes, type Layer, OverLayer, ScopeLayer } from './state-layer.ts';
import {
  checkName,
  checkSize,
  readStart,
  readValues,
  sizeOf,
  stateInvalid,
  stateJson,
} from './state-values.ts';

/** Makes the versions of this process differ from those before a restart. */
const PROCESS = randomBytes(6).toString('base64url');

/** The state of an account, or of the service, in this process. */
export class StateStore implements State {
  readonly #layer: ScopeLayer;
  readonly #onChange: () => void;
  #start: Changes = new Map();

  /**
   * @param below what is read where this state has no value
   * @param onChange is called after each change
   */
  constructor(below: Layer, onChange: () => void) {
    this.#layer = new ScopeLayer(below);
    this.#onChange = onChange;
  }

  /** The values, for a state over this one. */
  get layer(): OverLayer {
    return this.#layer;
  }

  /** Another text after each change of a value that this state shows, in the layers below as well. */
  get version(): string {
    return `${PROCESS}-${this.#layer.version}`;
  }

  async get(name: string): Promise<unknown> {
    return parsed(this.#layer, name);
  }

  async set(name: string, value: unknown): Promise<void> {
    this.#write(new Map([[checkName(name), stateJson(value)]]));
  }

  async delete(name: string): Promise<void> {
    this.#write(new Map([[checkName(name), undefined]]));
  }

  /**
   * Sets and deletes several values, or changes nothing.
   *
   * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`
   */
  write({ set = {}, delete: names = [] }: StateChange): void {
    const changes = new Map<string, string | undefined>(readValues(set));
    for (const name of names) changes.set(checkName(name), undefined);
    this.#write(changes);
  }

  async list(prefix = ''): Promise<[name: string, value: unknown][]> {
    return listOf(this.#layer, prefix);
  }

  async update(name: string, change: (value: unknown) => unknown): Promise<unknown> {
    return await this.transaction((draft) => {
      const value = synchronous(change(draft.get(name)));
      if (value === undefined) draft.delete(name);
      else draft.set(name, value);
      return draft.get(name);
    });
  }

  async transaction<Result>(work: (draft: StateDraft) => Result): Promise<Result> {
    const layer = new OverLayer(this.#layer);
    const result = synchronous(work(new Draft(layer)));
    this.#write(layer.changes);
    return result;
  }

  /** Sets the values at the start, which a reset restores. */
  startWith(values: Readonly<Record<string, unknown>>): void {
    this.#start = readStart(values);
    this.reset();
  }

  /** Restores the values at the start. */
  reset(): void {
    this.#layer.restore(this.#start);
    this.#onChange();
  }

  #write(changes: Changes): void {
    this.#layer.write(changes);
    this.#onChange();
  }
}

/** The draft of a transaction. */
class Draft implements StateDraft {
  readonly #layer: OverLayer;
  /** The size of the names and values that were written, in bytes. */
  #bytes = 0;

  constructor(layer: OverLayer) {
    this.#layer = layer;
  }

  get(name: string): unknown {
    return parsed(this.#layer, name);
  }

  set(name: string, value: unknown): void {
    this.#put(checkName(name), stateJson(value));
  }

  delete(name: string): void {
    this.#put(checkName(name), undefined);
  }

  /** Keeps as much as a state can have at most, before it is written. */
  #put(name: string, json: string | undefined): void {
    const added = sizeOf(name, new Map([[name, json]]));
    const bytes = this.#bytes + added - sizeOf(name, this.#layer.changes);
    checkSize(0, bytes);
    this.#bytes = bytes;
    this.#layer.put(name, json);
  }

  list(prefix = ''): [name: string, value: unknown][] {
    return listOf(this.#layer, prefix);
  }
}

function parsed(layer: Layer, name: string): unknown {
  const json = layer.get(name);
  return json === undefined ? undefined : JSON.parse(json);
}

function listOf(layer: Layer, prefix: string): [name: string, value: unknown][] {
  const all = new Map<string, string>();
  layer.collect(prefix, all);
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, json]) => [name, JSON.parse(json)]);
}

/** Refuses a promise, since the state may have changed before it settles. */
function synchronous<Result>(result: Result): Result {
  if (!types.isPromise(result)) return result;
  result.catch(() => {});
  throw stateInvalid('the function is asynchronous. Await what it needs before you call it');
}
