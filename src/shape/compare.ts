import type { ErrorObject } from 'ajv';
import { findViolations } from '../fixtures/schema.ts';
import { describeSchema, describeValue, type Finding, NO_MEMBER } from './finding.ts';
import { memberPath, type Place, placesIn, wholeOf } from './places.ts';
import type { Shape } from './shape.ts';
import { formatName } from './text-format.ts';

/** A schema, and the path of its file for messages. */
export interface ExpectedSchema {
  readonly file: string;
  readonly schema: unknown;
}

/**
 * Compares a body with a schema. Ajv finds what is breaking; a member that the schema does not name is
 * additive.
 *
 * @returns a finding for each place and difference, however many elements of a list have it
 */
export async function compare(
  body: unknown,
  { file, schema }: ExpectedSchema,
): Promise<readonly Finding[]> {
  const errors = await findViolations(file, schema, body);
  const wrong = new Map(errors.map(({ instancePath }) => [instancePath, [] as ErrorObject[]]));
  for (const error of errors.filter(isWhole)) wrong.get(error.instancePath)?.push(error);
  const found: Finding[] = [];
  const empty = new Set<string>();
  const filled = new Set<string>();
  for (const place of placesIn(wholeOf(body, schema))) {
    const { path, pointer, value, isNew } = place;
    for (const error of wrong.get(pointer) ?? []) found.push(breakingAt(place, error));
    if (isNew) {
      found.push({ kind: 'additive', path, expected: NO_MEMBER, received: describeValue(value) });
    }
    if (Array.isArray(value) && (place.schema as Shape | undefined)?.items) {
      (value.length === 0 ? empty : filled).add(`${path}[]`);
    }
  }
  for (const path of empty) {
    const received = 'an empty list';
    if (!filled.has(path)) found.push({ kind: 'unchecked', path, expected: 'elements', received });
  }
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

/** Whether an error is told: not that of a branch, whose alternative has one, or of a new member. */
function isWhole({ schemaPath, keyword }: ErrorObject): boolean {
  return !/\/(anyOf|oneOf)\//.test(schemaPath) && !['if', 'additionalProperties'].includes(keyword);
}

function breakingAt({ path, value, schema }: Place, { keyword, params }: ErrorObject): Finding {
  const breaking = {
    kind: 'breaking',
    path: path || 'body',
    received: describeValue(value),
  } as const;
  switch (keyword) {
    case 'required': {
      const { missingProperty: name } = params;
      const expected =
        describeSchema((schema as Shape | undefined)?.properties?.[name]) ?? 'a member';
      return { ...breaking, path: memberPath(path, name), expected, received: NO_MEMBER };
    }
    case 'type':
      return { ...breaking, expected: describeSchema(schema) ?? [params.type].flat().join(' or ') };
    case 'format':
    case 'pattern': {
      const { format = 'the pattern of the schema' } = params;
      return { ...breaking, expected: `string (${formatName(params) ?? format})` };
    }
    default:
      return { ...breaking, expected: `what ${keyword} of the schema allows` };
  }
}
