import type { ErrorObject } from 'ajv';
import { findViolations, namesIn } from '../fixtures/schema.ts';
import { describeSchema, describeValue, type Finding, memberPath, NO_MEMBER } from './finding.ts';
import { isData, type Shape } from './shape.ts';
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
  // What is said of the branches of an alternative is in the error of the alternative.
  const whole = errors.filter(
    ({ schemaPath, keyword }) => !/\/(anyOf|oneOf)\//.test(schemaPath) && keyword !== 'if',
  );
  const found = [
    ...whole.map((error) => findingOf(error, body, schema)),
    ...additions(body, schema, ''),
    ...emptyLists(body, schema),
  ];
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

function findingOf(error: ErrorObject, body: unknown, schema: unknown): Finding {
  const { instancePath, keyword, params } = error;
  let path = '';
  let value = body;
  let node = schema;
  for (const name of namesIn(instancePath)) {
    [path, node] = step(path, value, node, name);
    value = (value as Record<string, unknown>)[name];
  }
  const breaking = {
    kind: 'breaking',
    path: path || 'body',
    received: describeValue(value),
  } as const;
  switch (keyword) {
    case 'required': {
      const [member, own] = step(path, {}, node, params.missingProperty);
      const expected = describeSchema(own) ?? 'a member';
      return { ...breaking, path: member, expected, received: NO_MEMBER };
    }
    case 'additionalProperties':
      return addition(value as object, node, path, params.additionalProperty);
    case 'type':
      return { ...breaking, expected: describeSchema(node) ?? [params.type].flat().join(' or ') };
    case 'format':
    case 'pattern': {
      const { format = 'the pattern of the schema' } = params;
      const name = formatName(keyword === 'format' ? { format } : { pattern: params.pattern });
      return { ...breaking, expected: `string (${name ?? format})` };
    }
    default:
      return { ...breaking, expected: `what ${keyword} of the schema allows` };
  }
}

/** The path and the schema of an element or a member. */
function step(path: string, value: unknown, node: unknown, name: string): [string, unknown] {
  const { items, properties = {}, additionalProperties } = (node ?? {}) as Shape;
  if (Array.isArray(value)) return [`${path}[]`, Array.isArray(items) ? undefined : items];
  if (Object.hasOwn(properties, name)) return [memberPath(path, name), properties[name]];
  return [memberPath(path, isMap(value, node) ? '*' : name), additionalProperties];
}

/** Whether the names of an object that its schema does not name are data. */
function isMap(value: unknown, node: unknown): boolean {
  const { additionalProperties: members } = (node ?? {}) as Shape;
  const isMapOfSchema = typeof members === 'object' && members !== null;
  return isMapOfSchema || Object.keys(unnamed(value, node)).some(isData);
}

/** The members of an object that its schema does not name. */
function unnamed(value: unknown, node: unknown): Record<string, unknown> {
  const { properties = {} } = (node ?? {}) as Shape;
  const members = Object.entries(value as object);
  return Object.fromEntries(members.filter(([name]) => !Object.hasOwn(properties, name)));
}

function addition(value: object, node: unknown, path: string, name: string): Finding {
  const [member] = step(path, value, node, name);
  const received = describeValue(unnamed(value, node)[name]);
  return { kind: 'additive', path: member, expected: NO_MEMBER, received };
}

/** The members that a schema does not name, where it names some. */
function* additions(value: unknown, node: unknown, path: string): Generator<Finding> {
  if (typeof value !== 'object' || value === null || !node) return;
  const { properties, additionalProperties, patternProperties } = node as Shape & {
    patternProperties?: unknown;
  };
  const isOpen = properties === undefined || additionalProperties || patternProperties;
  if (!Array.isArray(value) && !isOpen) {
    for (const name of Object.keys(unnamed(value, node))) yield addition(value, node, path, name);
  }
  for (const [name, one] of Object.entries(value)) {
    const [inner, own] = step(path, value, node, name);
    yield* additions(one, own, inner);
  }
}

/** The lists whose elements could not be compared: all at a place are empty. */
function emptyLists(body: unknown, schema: unknown): Finding[] {
  const empty = new Set<string>();
  const filled = new Set<string>();
  const look = (value: unknown, node: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null || !node) return;
    if (Array.isArray(value) && (node as Shape).items) {
      (value.length === 0 ? empty : filled).add(`${path}[]`);
    }
    for (const [name, one] of Object.entries(value)) {
      const [inner, own] = step(path, value, node, name);
      look(one, own, inner);
    }
  };
  look(body, schema, '');
  return [...empty]
    .filter((path) => !filled.has(path))
    .map((path) => {
      return { kind: 'unchecked', path, expected: 'elements', received: 'an empty list' };
    });
}
