import { jsonOf } from '../json-of.ts';
import { REDACTED, type Redactor } from '../redaction/redaction.ts';
import type { StateRead } from '../store/store.ts';
import { listIn, type ScopeState, valueIn } from './scope-state.ts';
import type { State } from './state.ts';
import type { StateChange } from './state-change.ts';
import { checkName, readValues, stateRedacted } from './state-values.ts';

/** A state as it was read, in the form to show. */
export interface ShownRead extends StateRead {
  get(name: string): unknown;
  list(prefix?: string): [name: string, value: unknown][];
}

/** A state as tests see it, and what the control API needs to change it in one step. */
export interface ShownState extends State {
  read(): Promise<ShownRead>;
  /**
   * Sets and deletes several values, or changes nothing.
   *
   * @param read writes only if the state has not changed since it was read
   * @returns the version after it; `undefined` if it was not written
   * @throws MomoMockError `MOMO_MOCK_STATE_INVALID`, `MOMO_MOCK_STATE_REDACTED`
   */
  write(change: StateChange, read?: StateRead): Promise<string | undefined>;
}

/**
 * A state as tests see it: configured keys in the values that it shows are redacted. The functions
 * of `update` and `transaction` get the values as they are, because they also write them.
 *
 * To write back what was shown would lose the keys. So `set` and `write` refuse the text
 * `[redacted]` while any value of the state is shown with it, since a test could also move a value
 * to another name.
 */
export function shownState(state: ScopeState, redactor: Redactor): ShownState {
  const shown = (value: unknown): unknown => {
    const json = JSON.stringify(value);
    // JSON cannot represent a value that is not there.
    return json === undefined ? undefined : JSON.parse(redactor.redactJson(json));
  };
  const shownList = (list: [name: string, value: unknown][]) =>
    list.map((pair) => {
      const entry = shown(pair);
      // A key can span the name and the value.
      const isPair = Array.isArray(entry) && entry.length === pair.length;
      return isPair ? (entry as typeof pair) : ([REDACTED, REDACTED] as typeof pair);
    });
  const read = async (): Promise<ShownRead> => {
    const found = await state.read();
    return {
      ...found,
      get: (name) => shown(valueIn(found.layers, name)),
      list: (prefix = '') => shownList(listIn(found.layers, prefix)),
    };
  };
  const hidesKeys = async (): Promise<boolean> => {
    const all = listIn((await state.read()).layers, '').map((pair) => JSON.stringify(pair));
    return all.some((pair) => redactor.redactJson(pair) !== pair);
  };
  const write = async (
    { set = {}, delete: names = [] }: StateChange,
    since?: StateRead,
  ): Promise<string | undefined> => {
    const texts = Object.entries(set).flatMap(([name, value]) => [name, jsonOf(value)]);
    if (texts.some((text) => text?.includes(REDACTED)) && (await hidesKeys()))
      throw stateRedacted();
    const changes = new Map<string, string | null>(readValues(set));
    for (const name of names) changes.set(checkName(name), null);
    return await state.write(changes, since);
  };
  return {
    read,
    write,
    get: async (name) => shown(await state.get(name)),
    set: async (name, value) => {
      await write({ set: { [checkName(name)]: value } });
    },
    delete: async (name) => {
      await write({ delete: [checkName(name)] });
    },
    list: async (prefix) => shownList(await state.list(prefix)),
    update: async (name, change) => shown(await state.update(name, change)),
    transaction: (work) => state.transaction(work),
  };
}
