import type { ErrorObject } from 'ajv';
import { findViolations } from '../fixtures/schema.ts';
import { MAX_COMPARED, MAX_FINDINGS } from '../mock/limits.ts';
import { breaking, describeSchema, describeValue, type Finding, NO_MEMBER } from './finding.ts';
import { isData, memberPath, type Shape } from './shape.ts';
import { formatIn } from './text-format.ts';

/** A value in a body, and the part of the schema for it. */
interface Place {
  /** Such as `balance[].amount`; `*` is every name in a map. Empty for the whole body. */
  readonly path: string;
  readonly pointer: string;
  readonly name?: string;
  readonly value: unknown;
  /** Follows only `properties`, `additionalProperties` and `items`. */
  readonly schema: unknown;
  /** Whether it is in a list or a map, so that its index or name is data. */
  readonly isElement: boolean;
  /** Whether the schema names the members of its object, but not this one. */
  readonly isNew: boolean;
}

export interface ExpectedSchema {
  readonly file: string;
  readonly schema: unknown;
}

/** @returns one finding for each path and difference, not for each element of a list */
export async function compare(body: unknown, { file, schema }: ExpectedSchema) {
  const { start, places, cut } = beginning(body, schema);
  const errors = (await findViolations(file, schema, start)).filter(
    ({ instancePath, keyword }) => !(cut.has(instancePath) && COUNTS.test(keyword)),
  );
  const errorsAt = new Map(errors.map(({ instancePath }) => [instancePath, [] as ErrorObject[]]));
  for (const error of errors.filter(isReported)) errorsAt.get(error.instancePath)?.push(error);
  const findings = new Map<string, Finding>();
  const add = (finding: Finding) => findings.set(JSON.stringify(finding), finding);
  /** Whether a list at this path has elements. */
  const lists = new Map<string, boolean>();
  for (const place of places) {
    const { path, pointer, value, isNew } = place;
    for (const error of errorsAt.get(pointer) ?? []) add(breakingAt(place, error));
    if (isNew) {
      add({ kind: 'additive', path, expected: NO_MEMBER, received: describeValue(value) });
    }
    if (Array.isArray(value) && (place.schema as Shape | undefined)?.items) {
      lists.set(`${path}[]`, lists.get(`${path}[]`) || value.length > 0);
    }
  }
  for (const [path, isFilled] of lists) {
    if (!isFilled) {
      add({ kind: 'unchecked', path, expected: 'elements', received: 'an empty list' });
    }
  }
  const expected = `at most ${MAX_COMPARED} elements`;
  const received = 'more, of which only the first were compared';
  for (const path of cut.values()) add({ kind: 'unchecked', path, expected, received });
  return firstFindings([...findings.values()]);
}

/** Keywords that a list or a map may violate only because it was cut. */
const COUNTS = /^(minItems|contains|minProperties)$/;

/** The places in a body, and its copy, up to 1,000 elements of lists and maps. */
function beginning(body: unknown, schema: unknown) {
  const places: Place[] = [];
  /** The paths of cut elements, by the JSON Pointer of their list or map. */
  const cut = new Map<string, string>();
  let left = MAX_COMPARED;
  const copy = (place: Place): unknown => {
    places.push(place);
    const { value, pointer } = place;
    if (typeof value !== 'object' || value === null) return value;
    const members: [string, unknown][] = [];
    for (const inner of placesInside(place)) {
      if (inner.isElement && left === 0) cut.set(pointer, inner.path);
      else {
        if (inner.isElement) left--;
        members.push([inner.name ?? '', copy(inner)]);
      }
    }
    return Array.isArray(value)
      ? members.map(([, element]) => element)
      : Object.fromEntries(members);
  };
  const root = { path: '', pointer: '', value: body, schema, isElement: false, isNew: false };
  return { start: copy(root), places, cut };
}

interface Rules extends Pick<Shape, 'items' | 'properties'> {
  readonly additionalProperties?: Shape | boolean;
  readonly patternProperties?: object;
}

function* placesInside({ value, schema, path, pointer }: Place): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  const rules = (schema ?? {}) as Rules;
  const { items, properties, additionalProperties: others, patternProperties } = rules;
  const isNamed = (name: string) => properties !== undefined && Object.hasOwn(properties, name);
  if (Array.isArray(value)) {
    const elementSchema = Array.isArray(items) ? undefined : items;
    const element = { path: `${path}[]`, schema: elementSchema, isElement: true, isNew: false };
    for (const [index, item] of value.entries()) {
      yield { ...element, pointer: `${pointer}/${index}`, value: item };
    }
    return;
  }
  const isMapOfSchema = typeof others === 'object' && others !== null;
  const isMap = isMapOfSchema || Object.keys(value).some((name) => !isNamed(name) && isData(name));
  const isClosed = others === false || (others === undefined && properties !== undefined);
  const patterns = Object.keys(patternProperties ?? {}).map((text) => new RegExp(text, 'u'));
  for (const [name, member] of Object.entries(value)) {
    const isOther = !isNamed(name);
    const isElement = isOther && isMap;
    yield {
      path: memberPath(path, isElement ? '*' : name),
      pointer: `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      name,
      value: member,
      schema: isOther ? others : properties?.[name],
      isElement,
      isNew: isOther && isClosed && !patterns.some((pattern) => pattern.test(name)),
    };
  }
}

function firstFindings(findings: readonly Finding[]): readonly Finding[] {
  const omitted = findings.length - MAX_FINDINGS;
  if (omitted <= 0) return findings;
  const kinds = ['breaking', 'additive', 'unchecked'] as const;
  const sorted = kinds.flatMap((kind) => findings.filter((finding) => finding.kind === kind));
  const expected = `at most ${MAX_FINDINGS} differences`;
  const received = `${omitted} more, which are not shown`;
  return [
    ...sorted.slice(0, MAX_FINDINGS),
    { kind: 'unchecked', path: 'body', expected, received },
  ];
}

/** An anyOf has its own error beside those of its branches, and new members are additive. */
function isReported({ schemaPath, keyword }: ErrorObject): boolean {
  return !/\/(anyOf|oneOf)\//.test(schemaPath) && !['if', 'additionalProperties'].includes(keyword);
}

function breakingAt({ path, value, schema }: Place, { keyword, params }: ErrorObject): Finding {
  const differs = (expected: string) => breaking(path || 'body', expected, describeValue(value));
  switch (keyword) {
    case 'required': {
      const { missingProperty: name } = params;
      const member = (schema as Shape | undefined)?.properties?.[name];
      return breaking(memberPath(path, name), describeSchema(member) ?? 'a member', NO_MEMBER);
    }
    case 'type':
      return differs(describeSchema(schema) ?? [params.type].flat().join(' or '));
    case 'format':
    case 'pattern': {
      const { format = 'the pattern of the schema' } = params;
      return differs(`string (${formatIn(params)?.name ?? format})`);
    }
    default:
      return differs(`a value that ${keyword} in the schema allows`);
  }
}
