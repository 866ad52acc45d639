import { MomoMockError } from '../errors.ts';

/** The maximum number of names in the state of an account, or of the service. */
export const MOST_NAMES = 10_000;

/** The maximum length of a name, in UTF-16 units. */
export const LONGEST_NAME = 512;

/** The maximum length of a value as JSON, in bytes. */
export const LONGEST_VALUE = 1_048_576;

/** What is written to a layer: JSON by name. `undefined` removes the name, also from the layers below. */
export type Changes = ReadonlyMap<string, string | undefined>;

/** Values by name, as JSON text, over the values of another layer. */
export interface Layer {
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

  /** @param read returns the names and values, which are others after a reload */
  constructor(read: () => Readonly<Record<string, unknown>> | undefined) {
    this.#read = read;
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
      this.#given = given;
      this.#texts = readValues(given);
    }
    return this.#texts;
  }
}

/** Values over those of another layer. Removals are kept, also of names that nothing below has. */
export class OverLayer implements Layer {
  protected readonly below: Layer;
  /** A name with `undefined` hides that of the layers below. */
  protected readonly own = new Map<string, string | undefined>();

  constructor(below: Layer) {
    this.below = below;
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
}

/** The values of an account or of the service: a limited number. */
export class ScopeLayer extends OverLayer {
  override put(name: string, json: string | undefined): void {
    if (this.#isKept(name, json)) super.put(name, json);
    else this.own.delete(name);
  }

  /**
   * Writes all changes, or none.
   *
   * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`
   */
  write(changes: Changes): void {
    if (this.#sizeAfter(changes) > MOST_NAMES) throw stateFull();
    for (const [name, json] of changes) this.put(name, json);
  }

  /** Replaces all values. */
  restore(values: Changes): void {
    this.own.clear();
    for (const [name, json] of values) this.own.set(name, json);
  }

  /** How many names this layer has after a change. */
  #sizeAfter(changes: Changes): number {
    let size = this.own.size;
    for (const [name, json] of changes) {
      size += Number(this.#isKept(name, json)) - Number(this.own.has(name));
    }
    return size;
  }

  /** Whether this layer needs an entry for a name: for a value, and to hide a value below. */
  #isKept(name: string, json: string | undefined): boolean {
    return json !== undefined || this.below.get(name) !== undefined;
  }
}

/**
 * The names and values of an object, as JSON text.
 *
 * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`
 */
export function readValues(given: Readonly<Record<string, unknown>> = {}): Map<string, string> {
  const values = Object.entries(given).map(([name, value]): [string, string] => [
    checkName(name),
    stateJson(value),
  ]);
  return new Map(values);
}

/**
 * The names and values with which a state starts. Unlike {@link readValues}, checks their number.
 *
 * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`
 */
export function readStart(given?: Readonly<Record<string, unknown>>): Map<string, string> {
  const values = readValues(given);
  if (values.size > MOST_NAMES) throw stateFull();
  return values;
}

/**
 * Checks a name.
 *
 * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`
 */
export function checkName(name: string): string {
  if (isName(name)) return name;
  throw stateInvalid(`a name must be text of 1 to ${LONGEST_NAME} characters. Use another name`);
}

/** Whether a value can have this name. */
export function isName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME;
}

/**
 * The JSON of a value.
 *
 * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`
 */
export function stateJson(value: unknown): string {
  const json = jsonOf(value);
  if (json === undefined) {
    throw stateInvalid('the value cannot be written as JSON. Use a value that JSON can represent');
  }
  if (Buffer.byteLength(json) > LONGEST_VALUE) {
    throw stateInvalid('the value is longer than 1 MiB as JSON. Store less under one name');
  }
  return json;
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A circular value, a bigint, or a getter that throws.
    return undefined;
  }
}

function stateFull(): MomoMockError {
  const most = MOST_NAMES.toLocaleString('en');
  return stateInvalid(`it can have ${most} names at most. Delete names, or reset the state`);
}

/** The error for something that the state cannot contain. */
export function stateInvalid(problem: string): MomoMockError {
  const text = `Failed to write the state: ${problem}.`;
  return new MomoMockError('MOMO_MOCK_STATE_INVALID', text);
}

function addTo(all: Map<string, string>, values: Changes, prefix: string): void {
  for (const [name, json] of values) {
    if (!name.startsWith(prefix)) continue;
    if (json === undefined) all.delete(name);
    else all.set(name, json);
  }
}
