import { closestName } from '../closest-name.ts';
import type { StateSchema } from '../operations/operation.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { isNamedIn } from '../responses/given-body.ts';
import { stateInvalid } from './state-values.ts';

/**
 * Checks values against `state.schema.json`, if there is one.
 *
 * @param redactor of a test's values. Without it, they are a handler's, or of a snapshot, which has
 *   values of handlers: these may have unknown names, and the error shows only names from the schema
 */
export function checkValues(
  schema: StateSchema | undefined,
  values: Iterable<[string, string | null | undefined]>,
  redactor?: Redactor,
): void {
  if (schema === undefined) return;
  const isShown = redactor === undefined ? isNamedIn(schema.schema) : undefined;
  for (const [name, json] of values) {
    if (json == null) continue;
    if (redactor !== undefined && !schema.allows(name)) {
      throw stateInvalid(unknownName(schema, name, !redactor.isSecret(name)));
    }
    const problems = schema
      .violations({ [name]: JSON.parse(json) }, json.length, isShown)
      .map(({ phrase }) => redactor?.redactPointers(phrase) ?? phrase);
    if (problems.length > 0) {
      throw stateInvalid(`${problems.join('; ')}, as required by ${schema.fileOf(name)}`);
    }
  }
}

const MAX_SHOWN_LENGTH = 100;

/** Why a name is refused, without a full stop. */
export function unknownName(schema: StateSchema, name: string, isShown = true): string {
  const quoted = isShown && name.length <= MAX_SHOWN_LENGTH ? `"${name}"` : 'a name';
  return `${quoted} is not in ${schema.fileOf(name)}. ${adviceFor(schema, name, isShown)}`;
}

function adviceFor({ names, patterns }: StateSchema, name: string, isShown: boolean): string {
  const [head = ''] = /^[^/]*\/?/.exec(name) ?? [];
  const similar = patterns.filter((pattern) => head.endsWith('/') && beginningOf(pattern) === head);
  if (similar.length > 0) return `Use a name that matches ${similar.join(' or ')}`;
  const known = [...names, ...patterns.map(beginningOf)];
  if (known.length === 0) return 'Add it to properties';
  const whole = isShown ? closestName(name, names) : undefined;
  if (whole !== undefined) return `Did you mean "${whole}"?`;
  const beginning = isShown ? closestName(head, known) : undefined;
  if (beginning !== undefined) return `Did you mean "${beginning}${name.slice(head.length)}"?`;
  return `Use one of ${known.join(', ')}, or add it to properties in a state.schema.json`;
}

/** How names begin that match a pattern, if it says so: `^deposits/` -> `deposits/` */
function beginningOf(pattern: string): string {
  return /^\^([\w-]+\/?)/.exec(pattern)?.[1] ?? pattern;
}
