import { check, type Schema } from './check.ts';
import type { Definition } from './definition.ts';
import { ExactNumber } from './exact-json.ts';
import { AS_JSON } from './json-value.ts';
import type { IsSecret } from './unknown-field.ts';

/**
 * Checks a value from `parseExact`, as `check` does. Numbers keep their digits where the definition
 * allows any JSON, such as in `body`. Elsewhere, such as in `status`, they become plain numbers.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function checkJson<Value>(
  definition: Definition<Value>,
  value: unknown,
  isSecret: IsSecret,
): Value {
  return check(definition, withPlainNumbers(definition, value), isSecret);
}

/** A value from `parseExact`, with plain numbers wherever the definition does not allow any JSON. */
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
