import type { Schema } from './check.ts';
import { AS_JSON } from './define.ts';
import type { Definition } from './definition.ts';
import { ExactNumber, parseExact } from './exact-json.ts';

/**
 * Parses JSON for `check`. Numbers keep their digits where the definition allows any JSON, such as in
 * `body`. Elsewhere, such as in `status`, they are plain numbers, which `check` expects.
 */
export function parseFor<Value>(definition: Definition<Value>, text: string): unknown {
  const schemas = [definition as Schema];
  return hasAnyJson(schemas) ? plainIn(parseExact(text), schemas) : JSON.parse(text);
}

/** Exact numbers cost a lot, and a snapshot is long and has none. */
function hasAnyJson(schemas: readonly Schema[]): boolean {
  return schemas
    .flatMap(branchesOf)
    .some(
      ({ title, items, properties = {}, patternProperties = {} }) =>
        title === AS_JSON ||
        hasAnyJson([
          ...(items === undefined ? [] : [items]),
          ...Object.values(properties),
          ...Object.values(patternProperties),
        ]),
    );
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
