import type { ErrorObject } from 'ajv';
import { findViolations } from '../fixtures/schema.ts';
import { MAX_COMPARED, MAX_FINDINGS } from '../mock/limits.ts';
import { breaking, describeSchema, describeValue, type Finding, NO_MEMBER } from './finding.ts';
import { type Place, placesInside } from './places.ts';
import { memberPath, type Shape } from './shape.ts';
import { formatIn } from './text-format.ts';

export interface ExpectedSchema {
  readonly file: string;
  readonly schema: unknown;
}

/**
 * Compares a body with a schema. Violations are breaking; members that the schema does not name are
 * additive.
 *
 * @returns one finding for each path and difference, not for each element of a list: the first 20,
 *   and the number of the others
 */
export async function compare(
  body: unknown,
  { file, schema }: ExpectedSchema,
): Promise<readonly Finding[]> {
  const { start, places, cut } = beginning(body, schema);
  const errors = (await findViolations(file, schema, start)).filter(
    ({ instancePath, keyword }) => !(cut.has(instancePath) && COUNTS.test(keyword)),
  );
  const errorsAt = new Map(errors.map(({ instancePath }) => [instancePath, [] as ErrorObject[]]));
  for (const error of errors.filter(isReported)) errorsAt.get(error.instancePath)?.push(error);
  const findings = new Map<string, Finding>();
  const add = (finding: Finding) => findings.set(JSON.stringify(finding), finding);
  const empty = new Set<string>();
  const filled = new Set<string>();
  for (const place of places) {
    const { path, pointer, value, isNew } = place;
    for (const error of errorsAt.get(pointer) ?? []) add(breakingAt(place, error));
    if (isNew) {
      add({ kind: 'additive', path, expected: NO_MEMBER, received: describeValue(value) });
    }
    if (Array.isArray(value) && (place.schema as Shape | undefined)?.items) {
      (value.length === 0 ? empty : filled).add(`${path}[]`);
    }
  }
  for (const path of empty) {
    const received = 'an empty list';
    if (!filled.has(path)) add({ kind: 'unchecked', path, expected: 'elements', received });
  }
  if (cut.size > 0) {
    const expected = `at most ${MAX_COMPARED} elements`;
    const received = 'more, of which only the first were compared';
    for (const path of cut.values()) add({ kind: 'unchecked', path, expected, received });
  }
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
    const isList = Array.isArray(value);
    const members: [string, unknown][] = [];
    for (const inner of placesInside(place)) {
      if (inner.isElement && left === 0) {
        cut.set(pointer, inner.path);
        if (isList) break;
        continue;
      }
      if (inner.isElement) left--;
      members.push([inner.name ?? '', copy(inner)]);
    }
    return isList ? members.map(([, element]) => element) : Object.fromEntries(members);
  };
  const root = { path: '', pointer: '', value: body, schema, isElement: false, isNew: false };
  return { start: copy(root), places, cut };
}

/** The first findings, breaking ones first, and the number of the others. */
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

/**
 * Whether to report an error. Skips the branches of an anyOf, which has its own error, and new members,
 * which are additive.
 */
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
