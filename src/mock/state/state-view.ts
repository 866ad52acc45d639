import { types } from 'node:util';
import { MomoMockError } from '../../errors.ts';
import { parseExact, writeJson } from '../exact-json.ts';
import { MAX_STATE_ATTEMPTS } from '../limits.ts';
import { REDACTED, type Redactor } from '../redaction/redaction.ts';
import type { State, StateDraft } from './state.ts';
import type { StateLayer, StateRead, StateSource, Wanted } from './state-source.ts';
import {
  checkName,
  checkSize,
  sizeOf,
  stateInvalid,
  stateJson,
  stateRedacted,
} from './state-values.ts';

/**
 * The state as handlers or tests see it.
 *
 * For tests, a redactor replaces configured keys in the results with `[redacted]`. The functions of
 * `update` and `transaction` see the real values, because they also write them. Writing back a
 * redacted value would lose the key in it, under this name or another one. So as long as any value
 * is redacted, `set` and `write` refuse the text `[redacted]`.
 */
export class StateView implements State {
  readonly #source: StateSource;
  readonly #redactor: Redactor | undefined;

  constructor(source: StateSource, redactor?: Redactor) {
    this.#source = source;
    this.#redactor = redactor;
  }

  async get(name: string): Promise<unknown> {
    return (await this.read({ name })).get(name);
  }

  async list(prefix = ''): Promise<[name: string, value: unknown][]> {
    return (await this.read({ prefix })).list(prefix);
  }

  async set(name: string, value: unknown): Promise<void> {
    await this.write((draft) => draft.set(name, value));
  }

  async delete(name: string): Promise<void> {
    await this.write((draft) => draft.delete(name));
  }

  async update(name: string, change: (value: unknown) => unknown): Promise<unknown> {
    checkName(name);
    const result = await this.#transact({ name }, (draft) => {
      const value = synchronous(change(draft.get(name)));
      if (value === undefined) draft.delete(name);
      else draft.set(name, value);
      return draft.get(name);
    });
    return redacted(result, this.#redactor);
  }

  async transaction<Result>(work: (draft: StateDraft) => Result): Promise<Result> {
    return await this.#transact({}, work);
  }

  async read(want?: Wanted): Promise<Draft> {
    return await this.#source.inTurn(
      async () => new Draft(await this.#source.read(want), this.#redactor),
    );
  }

  /**
   * Writes changes that do not depend on a value, all or none.
   *
   * @param since writes only if the state has not changed since this read
   * @returns the new version; `undefined` if nothing was written
   */
  async write(work: (draft: StateDraft) => void, since?: Draft): Promise<string | undefined> {
    const draft = new Draft(NOTHING);
    work(draft);
    const { changes } = draft;
    return await this.#source.inTurn(async () => {
      const texts = [...changes].flatMap(([name, json]) => (json === null ? [] : [name, json]));
      if (texts.some((text) => text.includes(REDACTED)) && (await this.#isRedacted())) {
        throw stateRedacted();
      }
      return await this.#source.write(changes, since?.read);
    });
  }

  /** Runs a function on what was read, and again if another call writes first. */
  #transact<Result>(want: Wanted, work: (draft: StateDraft) => Result): Promise<Result> {
    return this.#source.inTurn(async () => {
      for (let attempt = 1; attempt <= MAX_STATE_ATTEMPTS; attempt++) {
        const draft = new Draft(await this.#source.read(want));
        const result = synchronous(work(draft));
        const version = await this.#source.write(draft.changes, draft.read);
        if (version !== undefined) return result;
      }
      throw alwaysChanged();
    });
  }

  async #isRedacted(): Promise<boolean> {
    const redactor = this.#redactor;
    if (redactor === undefined) return false;
    const pairs = new Draft(await this.#source.read()).jsonList().map(jsonOfPair);
    return pairs.some((pair) => redactor.redactJson(pair) !== pair);
  }
}

const NOTHING: StateRead = { layers: [], version: '' };

/** What was read, and the changes to it. */
export class Draft implements StateDraft {
  readonly read: StateRead;
  readonly changes = new Map<string, string | null>();
  readonly #layers: readonly StateLayer[];
  readonly #redactor: Redactor | undefined;
  /** The size of the changes, in bytes. */
  #bytes = 0;

  constructor(read: StateRead, redactor?: Redactor) {
    this.read = read;
    this.#layers = [this.changes, ...read.layers];
    this.#redactor = redactor;
  }

  get version(): string {
    return this.read.version;
  }

  get(name: string): unknown {
    const json = this.json(name);
    return json === undefined ? undefined : JSON.parse(json);
  }

  list(prefix = ''): [name: string, value: unknown][] {
    return this.jsonList(prefix).map(([name, json]) => [name, JSON.parse(json)]);
  }

  /** A value as JSON, which keeps the digits of its numbers. */
  json(name: string): string | undefined {
    const json = this.#layers.find((layer) => layer.has(name))?.get(name);
    return json == null ? undefined : (this.#redactor?.redactJson(json) ?? json);
  }

  /** The values as {@link json} returns them. */
  jsonList(prefix = ''): [name: string, json: string][] {
    const all = new Map(this.#layers.toReversed().flatMap((layer) => [...layer]));
    const values = [...all].flatMap(([name, json]): [string, string][] =>
      json !== null && name.startsWith(prefix) ? [[name, json]] : [],
    );
    values.sort(([a], [b]) => (a < b ? -1 : 1));
    return values.map((pair) => redactedPair(pair, this.#redactor));
  }

  set(name: string, value: unknown): void {
    this.#change(checkName(name), stateJson(value));
  }

  delete(name: string): void {
    this.#change(checkName(name), null);
  }

  #change(name: string, json: string | null): void {
    this.#bytes += sizeOf(name, json) - sizeOf(name, this.changes.get(name));
    // A draft must not exceed a state's limit, even before it is written.
    checkSize(0, this.#bytes);
    this.changes.set(name, json);
  }
}

function redacted(value: unknown, redactor: Redactor | undefined): unknown {
  // JSON cannot represent undefined.
  if (redactor === undefined || value === undefined) return value;
  return JSON.parse(redactor.redactJson(JSON.stringify(value)));
}

type Pair = [name: string, json: string];

function redactedPair(pair: Pair, redactor: Redactor | undefined): Pair {
  if (redactor === undefined) return pair;
  const json = jsonOfPair(pair);
  const redacted = redactor.redactJson(json);
  if (redacted === json) return pair;
  const result = parseExact(redacted);
  // If a key spans the name and the value, the result is text.
  return Array.isArray(result)
    ? [result[0], writeJson(result[1])]
    : [REDACTED, JSON.stringify(REDACTED)];
}

function jsonOfPair([name, json]: Pair): string {
  return `[${JSON.stringify(name)},${json}]`;
}

function alwaysChanged(): MomoMockError {
  const most = MAX_STATE_ATTEMPTS.toLocaleString('en');
  const text = `Failed to write the state: other calls changed it during each of ${most} attempts. Freeze the clock or stop the requests that change it, and try again.`;
  return new MomoMockError('MOMO_MOCK_STATE_CHANGED', text);
}

/** Refuses a promise, because the state may change before it settles. */
function synchronous<Result>(result: Result): Result {
  if (!types.isPromise(result)) return result;
  result.catch(() => {});
  throw stateInvalid('the function is asynchronous. Await what it needs before you call it');
}
