import { MomoMockError } from '../errors.ts';
import { MOST_STATE_ATTEMPTS } from '../mock/limits.ts';
import { REDACTED } from '../mock/redaction/redaction.ts';
import type { State } from '../mock/state/state.ts';
import { type Changes, type Layer, StartLayer } from '../mock/state/state-layer.ts';
import { StateStore } from '../mock/state/state-store.ts';
import { checkName, isName, stateInvalid, stateJson } from '../mock/state/state-values.ts';
import type { RemoteControl } from './remote-send.ts';

/** Values by name, and the `ETag` of the state in which they were read. */
interface Read {
  readonly values: Readonly<Record<string, unknown>>;
  readonly etag: string | undefined;
}

/**
 * The state of a mock that runs elsewhere. The functions of `update` and `transaction` run here, on
 * what was read with one call. What they change is written with another one, unless the state has
 * changed in between: then both are made again.
 *
 * @param apikey the key of the account. @default none, for the whole service
 */
export function remoteState(control: RemoteControl, apikey?: string): State {
  let last: Promise<unknown> = Promise.resolve();
  /** Runs one function after the other, so that those of one test do not fail each other. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const readAll = async (prefix = ''): Promise<Read> => {
    const { value, etag } = await control.value('/state', { apikey, query: { prefix } });
    if (typeof value !== 'object' || value === null) throw control.notMomoMock();
    return { values: value as Record<string, unknown>, etag };
  };
  const readOne = async (name: string): Promise<Read> => {
    const { value, etag } = await control.value(pathOf(name), { apikey });
    return { values: value === undefined ? {} : { [name]: value }, etag };
  };
  /** Writes what a function changes in values. */
  const written = async <Result>(
    read: () => Promise<Read>,
    change: (local: State) => Promise<Result>,
  ): Promise<Result> => {
    for (let attempt = 1; attempt <= MOST_STATE_ATTEMPTS; attempt++) {
      const { values, etag } = await read();
      const start = new StartLayer(() => values);
      const local = new StateStore(start, () => {});
      const result = await change(local);
      const json = changeOf(local.layer.changes, start);
      if (json === undefined) return result;
      const call = control.send('PATCH /state', { apikey, json, ifMatch: etag });
      if (await call.then(() => true, isStateChanged)) return result;
    }
    throw alwaysChanged();
  };
  return {
    async get(name) {
      return isName(name) ? (await control.value(pathOf(name), { apikey })).value : undefined;
    },
    async set(name, value) {
      const json: unknown = JSON.parse(stateJson(value));
      await control.send(`PUT ${pathOf(checkName(name))}`, { apikey, json });
    },
    async delete(name) {
      await control.send(`DELETE ${pathOf(checkName(name))}`, { apikey });
    },
    async list(prefix) {
      const { values } = await readAll(prefix);
      return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
    },
    async update(name, change) {
      const read = () => readOne(checkName(name));
      return await inTurn(() => written(read, (local) => local.update(name, change)));
    },
    async transaction(work) {
      return await inTurn(() => written(readAll, (local) => local.transaction(work)));
    },
  };
}

/**
 * The body of the call that makes changes; `undefined` if there are none. A value that is shown
 * redacted and was set as it was read is none.
 */
function changeOf(changes: Changes, read: Layer): object | undefined {
  const kept = [...changes].filter(
    ([name, json]) => !(json?.includes(REDACTED) && json === read.get(name)),
  );
  if (kept.length === 0) return undefined;
  const set = kept.flatMap(([name, json]) =>
    json === undefined ? [] : [[name, JSON.parse(json)]],
  );
  const removed = kept.flatMap(([name, json]) => (json === undefined ? [name] : []));
  return { set: Object.fromEntries(set), delete: removed };
}

/** Returns `false` if the state has changed since it was read, and throws every other error. */
function isStateChanged(error: unknown): false {
  if (error instanceof MomoMockError && error.code === 'MOMO_MOCK_STATE_CHANGED') return false;
  throw error;
}

function alwaysChanged(): MomoMockError {
  const most = MOST_STATE_ATTEMPTS.toLocaleString('en');
  const text = `Failed to write the state: others changed it at each of ${most} attempts. Freeze the clock or stop the requests that change it, and try again.`;
  return new MomoMockError('MOMO_MOCK_STATE_CHANGED', text);
}

/** The path of a value. A slash is escaped, so that `..` is a part of a name like any other. */
function pathOf(name: string): string {
  try {
    const path = encodeURIComponent(name);
    if (!/^\.\.?$/.test(path)) return `/state/${path}`;
  } catch {
    // Half a character of UTF-16.
  }
  throw stateInvalid('a URL cannot contain this name. Use another name');
}
