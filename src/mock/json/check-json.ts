import type { Schema } from './check.ts';
import type { Definition } from './definition.ts';
import { ExactNumber } from './exact-json.ts';
import { AS_JSON } from './json-value.ts';

/**
 * A value from `parseExact`. Numbers keep their digits where the definition allows any JSON, such as
 * in `body`. Elsewhere, such as in `status`, they become plain numbers, which `check` expects.
 */
export function withPlainNumbers<Value>(definition: Definition<Value>, value: unknown): unknown {
  return plainIn(value, [definition as Schema]);
}

/** @param schemas one of which may apply to the value; none for an unknown field */
function plainIn(value: unknown, schemas: readonly Schema[]): unknown {
  const all = schemas.flatMap(branchesOf);
  const isAnyJson = all.some(({ title }) => title === AS_JSON);
  if (typeof value !== 'object' || value === null || isAnyJson) return value;
  if (value instanceof ExactNumber) return Number(value);
  if (Array.isArray(value)) {
    const items = all.flatMap((schema) => schema.items ?? []);
    return value.map((item) => plainIn(item, items));
  }
  const ofAllNames = all.flatMap(({ patternProperties = {} }) => Object.values(patternProperties));
  const fields = Object.entries(value).map(([name, item]) => {
    const own = all.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, name) ? (properties[name] ?? []) : [],
    );
    return [name, plainIn(item, [...own, ...ofAllNames])] as const;
  });
  return Object.fromEntries(fields);
}

function branchesOf(schema: Schema): Schema[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(branchesOf)];
}
