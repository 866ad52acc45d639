import { jsonOf } from '../json-of.ts';
import { REDACTED, type Redactor } from '../redaction/redaction.ts';
import type { State } from './state.ts';
import type { StateStore } from './state-store.ts';
import { stateRedacted } from './state-values.ts';

/** A state as tests see it, and what the control API needs to change it in one step. */
export interface ShownState extends State, Pick<StateStore, 'version' | 'write'> {}

/**
 * A state as tests see it: configured keys in the values that it shows are redacted. The functions
 * of `update` and `transaction` get the values as they are, because they also write them.
 *
 * To write back what was shown would lose the keys. So `set` and `write` refuse the text
 * `[redacted]` while any value of the state is shown with it, since a test could also move a value
 * to another name.
 */
export function shownState(state: StateStore, redactor: Redactor): ShownState {
  const shown = (value: unknown): unknown => {
    const json = JSON.stringify(value);
    // JSON cannot represent a value that is not there.
    return json === undefined ? undefined : JSON.parse(redactor.redactJson(json));
  };
  const hidesKeys = (): boolean => {
    const all = new Map<string, string>();
    state.layer.collect('', all);
    return [...all].some(([name, json]) => {
      const pair = `[${JSON.stringify(name)},${json}]`;
      return redactor.redactJson(pair) !== pair;
    });
  };
  const checkShown = (values: Readonly<Record<string, unknown>> = {}): void => {
    const texts = Object.entries(values).flatMap(([name, value]) => [name, jsonOf(value)]);
    if (texts.some((text) => text?.includes(REDACTED)) && hidesKeys()) throw stateRedacted();
  };
  return {
    get version() {
      return state.version;
    },
    write: (change) => {
      checkShown(change.set);
      state.write(change);
    },
    get: async (name) => shown(await state.get(name)),
    set: async (name, value) => {
      checkShown({ [name]: value });
      await state.set(name, value);
    },
    delete: (name) => state.delete(name),
    list: async (prefix) => {
      const list = await state.list(prefix);
      return list.map((pair) => {
        const entry = shown(pair);
        // A key can span the name and the value.
        const isPair = Array.isArray(entry) && entry.length === pair.length;
        return isPair ? (entry as typeof pair) : [REDACTED, REDACTED];
      });
    },
    update: async (name, change) => shown(await state.update(name, change)),
    transaction: (work) => state.transaction(work),
  };
}
