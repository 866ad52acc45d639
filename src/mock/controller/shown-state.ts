import { REDACTED, type Redactor } from '../redaction/redaction.ts';
import type { State } from '../state/state.ts';

/**
 * A state as tests see it: configured keys in the values that it shows are redacted. The functions
 * of `update` and `transaction` get the values as they are, because they also write them.
 */
export function shownState(state: State, redactor: Redactor): State {
  const shown = (value: unknown): unknown => {
    const json = JSON.stringify(value);
    // JSON cannot represent a value that is not there.
    return json === undefined ? undefined : JSON.parse(redactor.redactJson(json));
  };
  return {
    get: async (name) => shown(await state.get(name)),
    set: (name, value) => state.set(name, value),
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
