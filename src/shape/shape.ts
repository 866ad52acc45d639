import { formatOf } from './text-format.ts';

/** A type of JSON Schema. */
type Type = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/**
 * The shape of a JSON value, as a JSON Schema: types and formats, and no value. Each keyword is about
 * one type, so several types stand side by side.
 */
export interface Shape {
  readonly $schema?: string;
  readonly type?: Type | readonly Type[];
  /** The format of texts. */
  readonly format?: string;
  /** The same, for formats that JSON Schema does not have. */
  readonly pattern?: string;
  /** The members of objects. */
  readonly properties?: Readonly<Record<string, Shape>>;
  /** The members that each object has. */
  readonly required?: readonly string[];
  /** The members of a map: an object whose names are data, such as phone numbers. */
  readonly additionalProperties?: Shape;
  /** The elements of lists; none if all lists were empty. */
  readonly items?: Shape;
}

/** The keywords of a {@link Shape}. */
const KEYWORDS: readonly string[] = [
  '$schema',
  'type',
  'format',
  'pattern',
  'properties',
  'required',
  'additionalProperties',
  'items',
] satisfies (keyof Shape)[];

/** The longest name of a member that is a name, and no data, in UTF-16 units. */
const LONGEST_NAME = 40;

/**
 * Whether the name of a member looks like data: it has four digits in a row, an `@`, a control
 * character or more than 40 characters.
 */
export function isData(name: string): boolean {
  return name.length > LONGEST_NAME || /\d{4}|@|\p{C}/u.test(name);
}

/** The shape of a JSON value. Its elements of a list have one shape together. */
export function infer(value: unknown): Shape {
  if (value === null) return { type: 'null' };
  if (typeof value === 'string') return { type: 'string', ...formatOf(value)?.keywords };
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  if (typeof value !== 'object') return { type: 'boolean' };
  if (Array.isArray(value)) {
    const items = mergeAll(value.map(infer));
    return { type: 'array', ...(items && { items }) };
  }
  const members = Object.entries(value).map(([name, one]) => [name, infer(one)] as const);
  if (members.some(([name]) => isData(name))) {
    return { type: 'object', additionalProperties: mergeAll(members.map(([, one]) => one)) ?? {} };
  }
  // In a fixed order, since answers may name their members in any.
  const required = members.map(([name]) => name).sort();
  // fromEntries makes even `__proto__` an ordinary property.
  return { type: 'object', properties: Object.fromEntries(members), required };
}

/** The shape that allows all that one of two shapes allows. */
export function merge(one: Shape, other: Shape): Shape {
  const { $schema } = { ...other, ...one };
  const types = new Set([...typesOf(one), ...typesOf(other)]);
  if (types.has('number')) types.delete('integer');
  const [first, ...more] = [...types].sort();
  const items = mergeAll([one.items, other.items].filter((shape) => shape !== undefined));
  return {
    ...($schema !== undefined && { $schema }),
    ...(first !== undefined && { type: more.length === 0 ? first : [first, ...more] }),
    ...mergeFormats(one, other),
    ...mergeMembers(one, other),
    ...(items && { items }),
  };
}

/** The types of a schema; none if it allows all. */
export function typesOf({ type = [] }: Shape): readonly Type[] {
  return [type].flat() as Type[];
}

/** Whether a value is a shape: a schema without keywords that {@link infer} never writes. */
export function isShape(value: unknown): value is Shape {
  if (typeof value !== 'object' || value === null) return false;
  const { properties = {}, additionalProperties, items } = value as Shape;
  const inner = [...Object.values(properties), additionalProperties, items];
  return (
    Object.keys(value).every((name) => KEYWORDS.includes(name)) &&
    inner.every((shape) => shape === undefined || isShape(shape))
  );
}

function mergeAll(shapes: readonly Shape[]): Shape | undefined {
  const [first, ...others] = shapes;
  return first && others.reduce(merge, first);
}

/** The format of texts, if all texts have the same one. */
function mergeFormats(one: Shape, other: Shape): Pick<Shape, 'format' | 'pattern'> {
  const [first = {}, second = first] = [one, other]
    .filter((shape) => typesOf(shape).includes('string'))
    .map(({ format, pattern }) => ({
      ...(format !== undefined && { format }),
      ...(pattern !== undefined && { pattern }),
    }));
  return JSON.stringify(first) === JSON.stringify(second) ? first : {};
}

function mergeMembers(one: Shape, other: Shape): Shape {
  const objects = [one, other].filter((shape) => typesOf(shape).includes('object'));
  const [first, second] = objects;
  if (first === undefined) return {};
  const { properties = {}, required = [], additionalProperties: map } = first;
  if (second === undefined) {
    return map ? { additionalProperties: map } : { properties, required };
  }
  const isMap = objects.some(({ additionalProperties }) => additionalProperties !== undefined);
  if (isMap) {
    const all = objects.flatMap((shape) => [
      ...Object.values(shape.properties ?? {}),
      ...(shape.additionalProperties ? [shape.additionalProperties] : []),
    ]);
    return { additionalProperties: mergeAll(all) ?? {} };
  }
  const merged = new Map(Object.entries(properties));
  for (const [name, shape] of Object.entries(second.properties ?? {})) {
    const known = merged.get(name);
    merged.set(name, known ? merge(known, shape) : shape);
  }
  return {
    properties: Object.fromEntries(merged),
    required: required.filter((name) => second.required?.includes(name)),
  };
}
