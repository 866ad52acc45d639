import { checkSize, readValues, sizeOf } from './state-values.ts';

/** What is written to a layer: JSON by name. `undefined` removes the name, also from the layers below. */
export type Changes = ReadonlyMap<string, string | undefined>;

/** Counts the changes of all layers, so that a layer made anew never has an old version. */
let newest = 0;

/** Values by name, as JSON text, over the values of another layer. */
export interface Layer {
  /** Another number after each change of a value, here or in a layer below. */
  readonly version: number;
  /** The JSON of a value; `undefined` if this layer and those below have none. */
  get(name: string): string | undefined;
  /** Adds all values whose names begin with a prefix. */
  collect(prefix: string, all: Map<string, string>): void;
}

/** The values that a fixture tree starts with. */
export class StartLayer implements Layer {
  readonly #read: () => Readonly<Record<string, unknown>> | undefined;
  #given: unknown;
  #texts: Changes = new Map();
  #version = 0;

  /** @param read returns the names and values, which are others after a reload */
  constructor(read: () => Readonly<Record<string, unknown>> | undefined) {
    this.#read = read;
  }

  get version(): number {
    this.#layer();
    return this.#version;
  }

  get(name: string): string | undefined {
    return this.#layer().get(name);
  }

  collect(prefix: string, all: Map<string, string>): void {
    addTo(all, this.#layer(), prefix);
  }

  #layer(): Changes {
    const given = this.#read();
    if (given !== this.#given) {
      const texts = readValues(given);
      this.#given = given;
      if (!isSame(texts, this.#texts)) this.#version = ++newest;
      this.#texts = texts;
    }
    return this.#texts;
  }
}

/** Values over those of another layer. Removals are kept, also of names that nothing below has. */
export class OverLayer implements Layer {
  protected readonly below: Layer;
  /** A name with `undefined` hides that of the layers below. */
  protected readonly own = new Map<string, string | undefined>();
  #version = 0;

  constructor(below: Layer) {
    this.below = below;
  }

  get version(): number {
    return Math.max(this.#version, this.below.version);
  }

  /** What was written to this layer. */
  get changes(): Changes {
    return this.own;
  }

  get(name: string): string | undefined {
    return this.own.has(name) ? this.own.get(name) : this.below.get(name);
  }

  collect(prefix: string, all: Map<string, string>): void {
    this.below.collect(prefix, all);
    addTo(all, this.own, prefix);
  }

  /** Writes a value; `undefined` removes it. */
  put(name: string, json: string | undefined): void {
    this.own.set(name, json);
  }

  /** Notes that a value has changed. */
  protected changed(): void {
    this.#version = ++newest;
  }
}

/** The values of an account or of the service: a limited number and size. */
export class ScopeLayer extends OverLayer {
  /** The size of all names and values, in bytes. */
  #bytes = 0;

  override put(name: string, json: string | undefined): void {
    if (this.get(name) !== json) this.changed();
    this.#bytes += this.#sizeWith(name, json) - sizeOf(name, this.own);
    if (this.#isKept(name, json)) super.put(name, json);
    else this.own.delete(name);
  }

  /**
   * Writes all changes, or none.
   *
   * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`
   */
  write(changes: Changes): void {
    let names = this.own.size;
    let bytes = this.#bytes;
    for (const [name, json] of changes) {
      names += Number(this.#isKept(name, json)) - Number(this.own.has(name));
      bytes += this.#sizeWith(name, json) - sizeOf(name, this.own);
    }
    checkSize(names, bytes);
    for (const [name, json] of changes) this.put(name, json);
  }

  /** Replaces all values. */
  restore(values: Changes): void {
    this.own.clear();
    this.#bytes = 0;
    for (const [name, json] of values) {
      this.own.set(name, json);
      this.#bytes += sizeOf(name, this.own);
    }
    this.changed();
  }

  /** The size of a value of this layer after it is put, in bytes. */
  #sizeWith(name: string, json: string | undefined): number {
    return this.#isKept(name, json) ? sizeOf(name, new Map([[name, json]])) : 0;
  }

  /** Whether this layer needs an entry for a name: for a value, and to hide a value below. */
  #isKept(name: string, json: string | undefined): boolean {
    return json !== undefined || this.below.get(name) !== undefined;
  }
}

function addTo(all: Map<string, string>, values: Changes, prefix: string): void {
  for (const [name, json] of values) {
    if (!name.startsWith(prefix)) continue;
    if (json === undefined) all.delete(name);
    else all.set(name, json);
  }
}

function isSame(one: Changes, two: Changes): boolean {
  return one.size === two.size && [...one].every(([name, json]) => two.get(name) === json);
}
