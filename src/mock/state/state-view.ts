import { types } from 'node:util';
import { inTurns } from '../in-turns.ts';
import { parseExact, writeJson } from '../json/exact-json.ts';
import { REDACTED, type Redactor } from '../redaction/redaction.ts';
import type { AccountState } from './account-state.ts';
import type { MomoState, MomoStateDraft } from './state.ts';
import {
  checkName,
  checkSize,
  jsonIn,
  type StateLayer,
  sizeOf,
  stateInAccount,
  stateInvalid,
  stateJson,
  stateRedacted,
} from './state-values.ts';

type Pair = [name: string, json: string];

/**
 * The state as handlers or tests see it.
 *
 * For tests, a redactor replaces configured keys in the results with `[redacted]`. The functions of
 * `update` and `transaction` see the real values, because they also write them. Writing back a
 * redacted value would lose the key in it, under this name or another one. So as long as any value
 * is redacted, `set` and `write` refuse the text `[redacted]`.
 */
export class StateView implements MomoState {
  readonly #values: AccountState;
  readonly #redactor: Redactor | undefined;
  readonly #ofAccounts: readonly AccountState[];

  /** @param ofAccounts the states in which a test of the state of all accounts may find a value */
  constructor(values: AccountState, redactor?: Redactor, ofAccounts: readonly AccountState[] = []) {
    this.#values = values;
    this.#redactor = redactor;
    this.#ofAccounts = ofAccounts;
  }

  /** Whether a value that this state does not have is in the state of an account. */
  isInAccount(name: string): boolean {
    return this.#ofAccounts.some((values) => values.has(name));
  }

  async get<Value>(name: string): Promise<Value | undefined> {
    const json = this.json(name);
    if (json === undefined && this.isInAccount(name)) throw stateInAccount();
    return parsed(json);
  }

  async list<Value>(prefix?: string): Promise<Record<string, Value>> {
    return parsedList(await this.jsonList(prefix));
  }

  async set(name: string, value: unknown): Promise<void> {
    await this.write((draft) => draft.set(name, value));
  }

  async delete(name: string): Promise<void> {
    await this.write((draft) => draft.delete(name));
  }

  async update<Value>(name: string, change: (value: Value) => unknown): Promise<Value> {
    this.#transact((draft) => draft.update(name, change));
    return parsed(this.json(name)) as Value;
  }

  async transaction<Result>(work: (draft: Draft) => Result): Promise<Result> {
    return this.#transact(work);
  }

  #transact<Result>(work: (draft: Draft) => Result): Result {
    const draft = new Draft(this.#values.layers);
    const result = synchronous(work(draft));
    this.#values.write(draft.changes, this.#redactor);
    return result;
  }

  /** A value as JSON, which keeps the digits of its numbers. */
  json(name: string): string | undefined {
    const json = new Draft(this.#values.layers).json(name);
    return json && (this.#redactor?.redactJson(json) ?? json);
  }

  /** All values as they are now. Redacting 16 MiB takes a second, so requests get turns in between. */
  async jsonList(prefix = ''): Promise<Pair[]> {
    const pairs = new Draft(this.#values.layers).jsonList(prefix);
    // Without a prefix, a test lists what all accounts have.
    const others = pairs.length === 0 && prefix !== '' ? this.#ofAccounts : [];
    if (others.some((values) => values.hasAny(prefix))) throw stateInAccount();
    const redactor = this.#redactor;
    if (redactor === undefined) return pairs;
    const bytesOf = ([name, json]: Pair) => name.length + json.length;
    const read = () => inTurns(pairs, bytesOf, (pair) => redactedPair(pair, redactor));
    return await redactor.during(read);
  }

  /**
   * Writes changes that do not depend on a value, all or none.
   *
   * @param check is called right before, and may throw
   * @returns the version of the state with these changes
   */
  async write(
    work: (draft: MomoStateDraft) => void,
    check: () => void = () => {},
  ): Promise<number> {
    const draft = new Draft([]);
    work(draft);
    const texts = [...draft.changes].flatMap(([name, json]) => (json === null ? [] : [name, json]));
    if (texts.some((text) => text.includes(REDACTED)) && (await this.#isRedacted())) {
      throw stateRedacted();
    }
    check();
    this.#values.write(draft.changes, this.#redactor);
    return this.#values.version;
  }

  async #isRedacted(): Promise<boolean> {
    const pairs = new Draft(this.#values.layers).jsonList();
    const shown = await this.jsonList();
    return pairs.some((pair, at) => `${pair}` !== `${shown[at]}`);
  }
}

export class Draft implements MomoStateDraft {
  readonly changes = new Map<string, string | null>();
  readonly #layers: readonly StateLayer[];
  #bytes = 0;

  constructor(layers: readonly StateLayer[]) {
    this.#layers = [this.changes, ...layers];
  }

  get<Value>(name: string): Value | undefined {
    return parsed(this.json(name));
  }

  list<Value>(prefix = ''): Record<string, Value> {
    return parsedList(this.jsonList(prefix));
  }

  json(name: string): string | undefined {
    return jsonIn(this.#layers, name) ?? undefined;
  }

  jsonList(prefix = ''): Pair[] {
    const all = new Map(this.#layers.toReversed().flatMap((layer) => [...layer]));
    return [...all]
      .flatMap(([name, json]): Pair[] =>
        json !== null && name.startsWith(prefix) ? [[name, json]] : [],
      )
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  set(name: string, value: unknown): void {
    this.#change(checkName(name), stateJson(value));
  }

  delete(name: string): void {
    this.#change(checkName(name), null);
  }

  update<Value>(name: string, change: (value: Value) => unknown): Value {
    const value = synchronous(change(this.get(checkName(name)) as Value));
    if (value === undefined) this.delete(name);
    else this.set(name, value);
    return this.get(name) as Value;
  }

  #change(name: string, json: string | null): void {
    this.#bytes += sizeOf(name, json) - sizeOf(name, this.changes.get(name));
    // A draft must not exceed a state's limit, even before it is written.
    checkSize(0, this.#bytes);
    this.changes.set(name, json);
  }
}

function parsed(json: string | undefined) {
  return json === undefined ? undefined : JSON.parse(json);
}

function parsedList<Value>(values: readonly Pair[]): Record<string, Value> {
  return Object.fromEntries(values.map(([name, json]) => [name, JSON.parse(json)]));
}

function redactedPair(pair: Pair, redactor: Redactor): Pair {
  const [name, value] = pair;
  const json = `[${JSON.stringify(name)},${value}]`;
  const redacted = redactor.redactJson(json);
  if (redacted === json) return pair;
  const result = parseExact(redacted);
  // If a key spans the name and the value, the result is text.
  return Array.isArray(result)
    ? [result[0], writeJson(result[1])]
    : [REDACTED, JSON.stringify(REDACTED)];
}

/** Refuses a promise, because the state may change before it settles. */
export function synchronous<Result>(result: Result): Result {
  if (!types.isPromise(result)) return result;
  result.catch(() => {});
  throw stateInvalid('the function is asynchronous. Await what it needs before you call it');
}
