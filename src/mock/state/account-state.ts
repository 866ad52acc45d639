import type { Remembered, Restoring } from '../account/remembered.ts';
import type * as Forms from '../account/saved-forms.ts';
import { MAX_LEVELS, MAX_STATE_NAMES } from '../limits.ts';
import type { StateSchema } from '../operations/operation.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { checkValues } from './check-values.ts';
import {
  checkSize,
  checkState,
  jsonIn,
  readValues,
  type StateLayer,
  savedValues,
  sizeOf,
} from './state-values.ts';

/** Values, and the values that they override. */
interface StateLayers {
  /** The first layer that has a name decides. */
  readonly layers: readonly StateLayer[];
  /** Differs after each change of a value in the layers. */
  readonly version: number;
}

interface AccountStateOptions {
  readonly start?: StateLayer | undefined;
  /** The values that these override: the state of all accounts, or `state.json`. */
  readonly below: () => StateLayers;
  readonly schema: () => StateSchema | undefined;
  readonly onChange: () => void;
}

/** Counts the changes of all states, so that no account repeats the version of a removed one. */
let versions = 0;

export class AccountState implements StateLayers, Remembered {
  readonly event = 'state';
  readonly #options: AccountStateOptions;
  /** A name with `null` hides the value in the layers below. */
  #values = new Map<string, string | null>();
  #bytes = 0;
  #version = 0;

  constructor(options: AccountStateOptions) {
    this.#options = options;
    this.#set(options.start);
  }

  /** @internal */
  form({ Type, closedObject, jsonText }: typeof Forms) {
    const title = `a value, as JSON in a string with at most ${MAX_LEVELS} levels, or null`;
    const json = Type.Union([jsonText('a value'), Type.Null()], { title });
    return Type.Array(closedObject({ name: Type.String(), json }), { maxItems: MAX_STATE_NAMES });
  }

  save() {
    if (this.#values.size === 0 && this.#options.start === undefined) return undefined;
    return savedValues(this.#values);
  }

  /** @internal */
  load(saved: Forms.Saved<AccountState>, { part }: Pick<Restoring, 'part'>): void {
    checkState(new Map(saved.map(({ name, json }) => [name, json])));
    const values = new Map<string, string | null>();
    for (const [index, { name, json }] of saved.entries()) {
      part(`[${index}]`, () => {
        checkValues(this.#options.schema(), [[name, json]]);
        values.set(name, json);
      });
    }
    this.#set(values);
  }

  /** Whether it has a value of its own. */
  has(name: string): boolean {
    return jsonIn([this.#values], name) != null;
  }

  hasAny(prefix: string): boolean {
    return [...this.#values].some(([name, json]) => json !== null && name.startsWith(prefix));
  }

  get layers(): readonly StateLayer[] {
    return [this.#values, ...this.#options.below().layers];
  }

  get version(): number {
    return Math.max(this.#version, this.#options.below().version);
  }

  /**
   * Writes all changes, or none.
   *
   * @param redactor if a test makes them
   */
  write(changes: StateLayer, redactor?: Redactor): void {
    const below = this.#options.below().layers;
    const next = new Map<string, string | null | undefined>();
    let { size } = this.#values;
    let bytes = this.#bytes;
    for (const [name, change] of changes) {
      // `null` deletes a value. Something that would show again is hidden.
      const json = change ?? (jsonIn(below, name) == null ? undefined : null);
      const before = this.#values.get(name);
      if (json === before) continue;
      size += Number(json !== undefined) - Number(before !== undefined);
      bytes += sizeOf(name, json) - sizeOf(name, before);
      next.set(name, json);
    }
    if (next.size === 0) return;
    checkValues(this.#options.schema(), next, redactor);
    checkSize(size, bytes);
    for (const [name, json] of next) {
      if (json === undefined) this.#values.delete(name);
      else this.#values.set(name, json);
    }
    this.#bytes = bytes;
    this.#version = ++versions;
    this.#options.onChange();
  }

  #set(values?: StateLayer): void {
    this.#values = new Map(values);
    this.#bytes = [...this.#values].reduce((sum, [name, json]) => sum + sizeOf(name, json), 0);
    this.#version = ++versions;
  }
}

type Values = Readonly<Record<string, unknown>>;

const NOTHING: Values = {};
const INITIAL = new WeakMap<Values, StateLayers>();

/** The values of `state.json`. */
export function initialState(values = NOTHING): StateLayers {
  let initial = INITIAL.get(values);
  if (initial === undefined) {
    initial = { layers: [readValues(values)], version: ++versions };
    INITIAL.set(values, initial);
  }
  return initial;
}
