import { MomoMockError } from '../errors.ts';
import { REDACTED } from '../mock/redaction/redaction.ts';
import { ScopeState, type StateSource } from '../mock/state/scope-state.ts';
import type { State } from '../mock/state/state.ts';
import { isName, stateInvalid } from '../mock/state/state-values.ts';
import type { StateLayer, StateRead } from '../mock/store/store.ts';
import type { RemoteControl } from './remote-send.ts';

/**
 * The state of a mock that runs elsewhere. The functions of `update` and `transaction` run here, on
 * what was read with one call. What they change is written with another one, unless the state has
 * changed in between: then both are made again.
 *
 * @param apikey the key of the account. @default none, for the whole service
 */
export function remoteState(control: RemoteControl, apikey?: string): State {
  const read: StateSource['read'] = async ({ name, prefix = '' } = {}) => {
    if (name !== undefined && !isName(name)) return readOf({});
    if (name !== undefined) {
      const { value, etag } = await control.value(pathOf(name), { apikey });
      return readOf(value === undefined ? {} : { [name]: value }, etag);
    }
    const { value, etag } = await control.value('/state', { apikey, query: { prefix } });
    if (typeof value !== 'object' || value === null) throw control.notMomoMock();
    return readOf(value, etag);
  };
  const write: StateSource['write'] = async (changes, since) => {
    const json = changeOf(changes, since);
    const ifMatch = since?.version || undefined;
    if (json !== undefined) {
      const call = control.send('PATCH /state', { apikey, json, ifMatch });
      if (!(await call.then(() => true, isStateChanged))) return undefined;
    }
    return '';
  };
  return new ScopeState({ read, write });
}

function readOf(values: object, version = ''): StateRead {
  const layer = Object.entries(values).map(
    ([name, value]) => [name, JSON.stringify(value)] as const,
  );
  return { layers: [new Map(layer)], version };
}

/**
 * The body of the call that makes changes; `undefined` if there are none. A value that is shown
 * redacted and was set as it was read is none.
 */
function changeOf(changes: StateLayer, read?: StateRead): string | undefined {
  const before = read?.layers[0];
  const kept = [...changes].filter(
    ([name, json]) => !(json?.includes(REDACTED) && json === before?.get(name)),
  );
  if (kept.length === 0) return undefined;
  const set = kept.flatMap(([name, json]) => (json === null ? [] : [[name, JSON.parse(json)]]));
  const removed = kept.flatMap(([name, json]) => (json === null ? [name] : []));
  return JSON.stringify({ set: Object.fromEntries(set), delete: removed });
}

/** Returns `false` if the state has changed since it was read, and throws every other error. */
function isStateChanged(error: unknown): false {
  if (error instanceof MomoMockError && error.code === 'MOMO_MOCK_STATE_CHANGED') return false;
  throw error;
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
