import type { TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { invalid, MomoMockError } from '../../errors.ts';
import { advice, closestName } from '../closest-name.ts';
import { AS_JSON, type FieldRule } from './define.ts';
import type { Definition } from './definition.ts';
import { ExactNumber, isObject, parseExact } from './exact-json.ts';

/**
 * Checks a value against its definition. The error names the innermost invalid field, its index in
 * a list, and the allowed values. It never repeats a value.
 *
 * @param isSecret without it, unknown fields are allowed: the server knows the secret names and
 *   checks the value again
 */
export function check<Value>(
  definition: Definition<Value>,
  value: unknown,
  isSecret?: IsSecret,
): Value {
  const found = findProblem(definition, value, isSecret);
  if (found === undefined) return value as Value;
  const { place, problem } = found;
  if (place !== undefined) throw invalid(place, problem);
  const sentence = problem.charAt(0).toUpperCase() + problem.slice(1);
  throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', sentence);
}

export interface Problem {
  /** The names and indexes that lead to the invalid field. */
  readonly path: Path;
  /**
   * The path in words, such as `webhook[0].url`, or the name of the whole value; `undefined` if the
   * field is unknown, so that the problem names it.
   */
  readonly place: string | undefined;
  readonly problem: string;
}

type Path = readonly (string | number)[];

export function findProblem<Value>(
  definition: Definition<Value>,
  value: unknown,
  isSecret?: IsSecret,
): Problem | undefined {
  const schema = definition as unknown as Schema;
  const { $id: name = 'the body' } = schema;
  const root = name.charAt(0).toLowerCase() + name.slice(1);
  return problemAt([], schema, value, { root, isSecret });
}

/** The part of JSON Schema that the definitions use. */
export interface Schema {
  readonly $id?: string;
  readonly title?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly '~refine'?: readonly Partial<FieldRule>[];
}

interface Context {
  /** The name of the whole value in errors. */
  readonly root: string;
  readonly isSecret: IsSecret | undefined;
}

function problemAt(
  path: Path,
  schema: Schema,
  value: unknown,
  context: Context,
): Problem | undefined {
  const wrong = (problem: string, ...names: Path): Problem => {
    const full = [...path, ...names];
    return { path: full, place: inBrackets(full, context.root), problem };
  };
  const maxLength = maxListLength(schema);
  // Check the length first, because checking many items takes a while.
  if (Array.isArray(value) && value.length > maxLength)
    return wrong(`must be a list of at most ${maxLength}`);
  if (Check(schema as TSchema, value)) return undefined;
  const bestSchema = schema.anyOf && bestFit(schema.anyOf, value);
  if (bestSchema !== undefined) return problemAt(path, bestSchema, value, context);
  const { items, properties } = schema;
  if (items !== undefined && Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const itemProblem = firstOf(list.entries(), ([index, item]) =>
      problemAt([...path, index], items, item, context),
    );
    // Such as a list that is too short. Without `isSecret`, it may be an unknown field of an item.
    return itemProblem ?? (context.isSecret && wrong(`must be ${inWords(schema)}`));
  }
  if (properties === undefined || !isObject(value)) return wrong(`must be ${inWords(schema)}`);

  const knownFields = Object.keys(properties);
  const isOpen = schema.additionalProperties !== false;
  const unknownName = isOpen
    ? undefined
    : Object.keys(value).find((field) => !knownFields.includes(field));
  if (unknownName !== undefined && context.isSecret !== undefined) {
    const isShown = isPlainName(unknownName) && !context.isSecret(unknownName, knownFields);
    const full = isShown ? [...path, unknownName] : path;
    const place = inBrackets(full, context.root);
    const problem = isShown
      ? `unknown field "${place}". ${advice(unknownName, knownFields)}`
      : unnamedField(place, knownFields);
    return { path: full, place: undefined, problem };
  }
  const fieldProblem = firstOf(Object.entries(properties), ([field, property]) => {
    const isOmitted = value[field] === undefined && !schema.required?.includes(field);
    return isOmitted ? undefined : problemAt([...path, field], property, value[field], context);
  });
  if (fieldProblem !== undefined) return fieldProblem;
  const broken = firstOf(schema['~refine'] ?? [], (rule) => rule.findProblem?.(value));
  if (broken !== undefined) return wrong(broken[1], broken[0]);
  // Only an unknown field can be wrong here, and without `isSecret` unknown fields are allowed.
  return context.isSecret && wrong(`must be ${inWords(schema)}`);
}

/** `['webhook', 0, 'url']` -> `webhook[0].url`; an index at the beginning follows the root. */
function inBrackets(path: Path, root: string): string {
  const text = path.map((name) => (typeof name === 'number' ? `[${name}]` : `.${name}`)).join('');
  return text.startsWith('.') ? text.slice(1) : root + text;
}

function maxListLength({ maxItems = Infinity, anyOf = [] }: Schema): number {
  return Math.min(maxItems, ...anyOf.map(maxListLength));
}

/** The object or list schema in a union that best fits a value, if there is exactly one. */
function bestFit(anyOf: readonly Schema[], value: unknown): Schema | undefined {
  const type = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : undefined;
  const candidates = anyOf.filter((schema) => type !== undefined && schema.type === type);
  const fields = Object.keys(Object(value));
  const score = ({ properties = {}, required = [] }: Schema) =>
    fields.filter((field) => Object.hasOwn(properties, field)).length -
    required.filter((field) => !fields.includes(field)).length;
  const bestScore = Math.max(...candidates.map(score));
  const best = candidates.filter((schema) => score(schema) === bestScore);
  return best.length === 1 ? best[0] : undefined;
}

/** The allowed values, as words that follow "must be" in a message. */
function inWords(schema: Schema): string {
  const { title, anyOf, type, minimum, maximum, properties = {}, required = [] } = schema;
  if (title !== undefined) return title;
  if (anyOf !== undefined) return anyOf.map(inWords).join(' or ');
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (type === 'integer' || type === 'number') {
    const noun = type === 'integer' ? 'a whole number' : 'a number';
    return minimum === undefined ? noun : `${noun} from ${minimum} to ${maximum}`;
  }
  if (type === 'boolean') return 'true or false';
  if (type === 'string') return 'text';
  if (type === 'array') return `a list of at least ${schema.minItems ?? 0}`;
  const fields = Object.keys(properties);
  if (required.length === 0) return `an object with some of ${fields.join(', ')}`;
  const others = fields.filter((field) => !required.includes(field));
  const more = others.length === 0 ? '' : ` and optionally ${others.join(', ')}`;
  return `an object with ${required.join(', ')}${more}`;
}

function firstOf<Item, Result>(
  items: Iterable<Item>,
  find: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const result = find(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** Whether the name of an unknown field is or contains a secret, so that no error may repeat it. */
export type IsSecret = (name: string, known: readonly string[]) => boolean;

const MAX_QUOTED_LENGTH = 40;

/**
 * For a handler's input. Its errors are logged, so they repeat a name only if it looks mistyped.
 * Any other name may be a client's value.
 */
export const unlessMistyped: IsSecret = (name, known) => closestName(name, known) === undefined;

/** Whether an error may quote a name. */
function isPlainName(name: string): boolean {
  return name.length <= MAX_QUOTED_LENGTH && /^[\w.-]+$/.test(name);
}

/** @param place the object that has the field */
export function unnamedField(place: string, known: readonly string[]): string {
  return `unknown field in ${place}. Use only ${known.join(', ')}.`;
}

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
