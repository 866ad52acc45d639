import { createHash } from 'node:crypto';
import type { Remembered } from '../account/remembered.ts';
import { type StateLayer, type StateRead, StateSource } from './state-source.ts';
import { checkSize, readValues, type SavedValue, savedValues, sizeOf } from './state-values.ts';

interface AccountStateOptions {
  /** The initial values as JSON, by their names. */
  readonly start?: StateLayer | undefined;
  /** The state of all accounts, if this is the state of one. */
  readonly below?: AccountState | undefined;
  /** Returns the content of `state.json`, which a reload replaces. */
  readonly initial: () => Values | undefined;
  readonly onChange: () => void;
}

/** The versions of all states, so that no account repeats the version of a removed one. */
let versions = 0;

/** The state of an account, over the state of all accounts and `state.json`. */
export class AccountState extends StateSource implements Remembered {
  readonly #options: AccountStateOptions;
  /** A name with `null` hides the value in the layers below. */
  #values = new Map<string, string | null>();
  /** The size of all names and values, in bytes. */
  #bytes = 0;
  #version = 0;
  #isClosed = false;

  constructor(options: AccountStateOptions) {
    super();
    this.#options = options;
    this.#start();
  }

  /** Stops writing: the account is gone. */
  close(): void {
    this.#isClosed = true;
  }

  reset(): void {
    this.#start();
    this.#options.onChange();
  }

  save(): SavedValue[] | undefined {
    if (this.#values.size === 0 && this.#options.start === undefined) return undefined;
    return savedValues(this.#values);
  }

  load(saved: readonly SavedValue[]): void {
    this.#values = new Map(saved.map(({ name, json }) => [name, json]));
    this.#bytes = sizeOfAll(this.#values);
  }

  /** Whether it has a value of its own. */
  has(name: string): boolean {
    return (this.#values.get(name) ?? null) !== null;
  }

  async read(): Promise<StateRead> {
    const { below, initial } = this.#options;
    const { layer } = initialLayer(initial());
    const layers = [this.#values, ...(below === undefined ? [] : [below.#values]), layer];
    return { layers, version: this.#versionNow() };
  }

  async write(changes: StateLayer, since?: StateRead): Promise<string | undefined> {
    if (this.#isClosed) return '';
    if (since !== undefined && since.version !== this.#versionNow()) return undefined;
    const next = new Map<string, string | null | undefined>();
    let { size } = this.#values;
    let bytes = this.#bytes;
    for (const [name, change] of changes) {
      // `null` deletes a value. Something that would show again is hidden.
      const json = change ?? (this.#isBelow(name) ? null : undefined);
      const before = this.#values.get(name);
      if (json === before) continue;
      size += Number(json !== undefined) - Number(before !== undefined);
      bytes += sizeOf(name, json) - sizeOf(name, before);
      next.set(name, json);
    }
    checkSize(size, bytes);
    for (const [name, json] of next) {
      if (json === undefined) this.#values.delete(name);
      else this.#values.set(name, json);
    }
    this.#bytes = bytes;
    if (next.size > 0) {
      this.#version = ++versions;
      this.#options.onChange();
    }
    return this.#versionNow();
  }

  #isBelow(name: string): boolean {
    const { below, initial } = this.#options;
    const value = below === undefined ? undefined : below.#values.get(name);
    if (value !== undefined) return value !== null;
    return initialLayer(initial()).layer.has(name);
  }

  #versionNow(): string {
    const { below, initial } = this.#options;
    const parts = [...(below === undefined ? [] : [below.#version]), this.#version];
    return `${parts.join('-')}${initialLayer(initial()).suffix}`;
  }

  #start(): void {
    this.#values = new Map(this.#options.start);
    this.#bytes = sizeOfAll(this.#values);
    this.#version = ++versions;
  }
}

function sizeOfAll(values: StateLayer): number {
  return [...values].reduce((sum, [name, json]) => sum + sizeOf(name, json), 0);
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
