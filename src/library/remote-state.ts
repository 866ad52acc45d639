import type { State } from '../mock/state/state.ts';
import { StartLayer } from '../mock/state/state-layer.ts';
import { StateStore } from '../mock/state/state-store.ts';
import { checkName, isName, stateInvalid, stateJson } from '../mock/state/state-values.ts';
import type { RemoteControl } from './remote-control.ts';

/**
 * The state of a mock that runs elsewhere. The functions of `update` and `transaction` run here, so
 * these two read with one call and write with others. To write only what has not changed in between,
 * a handler would have to wait for a test, or its write would be refused.
 *
 * @param apikey the key of the account. @default none, for the whole service
 */
export function remoteState(control: RemoteControl, apikey?: string): State {
  const all = async (prefix = ''): Promise<Record<string, unknown>> =>
    await control.json('GET', '/state', { apikey, query: { prefix } });
  const put = async (name: string, json: string): Promise<void> => {
    await control.json('PUT', pathOf(name), { apikey, json: JSON.parse(json) });
  };
  const state: State = {
    async get(name) {
      if (!isName(name)) return undefined;
      return await control.value(pathOf(name), { apikey }, 'MOMO_MOCK_STATE_UNKNOWN');
    },
    async set(name, value) {
      await put(checkName(name), stateJson(value));
    },
    async delete(name) {
      await control.json('DELETE', pathOf(checkName(name)), { apikey });
    },
    async list(prefix) {
      const list = Object.entries(await all(prefix));
      return list.sort(([a], [b]) => (a < b ? -1 : 1));
    },
    async update(name, change) {
      const value = await state.get(checkName(name));
      const values = value === undefined ? {} : { [name]: value };
      return await written(values, (local) => local.update(name, change));
    },
    async transaction(work) {
      return await written(await all(), (local) => local.transaction(work));
    },
  };
  /** Writes what a function changes in values. */
  async function written<Result>(
    values: Readonly<Record<string, unknown>>,
    change: (local: State) => Promise<Result>,
  ): Promise<Result> {
    const local = new StateStore(new StartLayer(() => values), () => {});
    const result = await change(local);
    for (const [name, json] of local.layer.changes) {
      await (json === undefined ? state.delete(name) : put(name, json));
    }
    return result;
  }
  return state;
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
