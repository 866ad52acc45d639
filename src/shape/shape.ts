import { MAX_MEMBERS } from '../mock/limits.ts';
import { formatIn, formatOf } from './text-format.ts';

type Type = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/**
 * The shape of a JSON value, as a JSON Schema with types and formats, but no values. Each keyword is
 * about one type, so one shape can have the keywords of several types.
 */
export interface Shape {
  readonly $schema?: string;
  readonly type?: Type | readonly Type[];
  readonly format?: string;
  /** It replaces a format that JSON Schema does not have. */
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  /** The members of a map: an object whose names are data, such as phone numbers. */
  readonly additionalProperties?: Shape;
  /** The elements of lists; `undefined` if all lists were empty. */
  readonly items?: Shape;
}

/** Whether the name of a member looks like data, such as a phone number. */
export function isData(name: string): boolean {
  return name.length > 40 || /\d{4}|@|\p{C}/u.test(name);
}

export function infer(value: unknown): Shape {
  return inferAll([value]);
}

/** Infers one shape for several values. Visits each value once, because there can be millions. */
function inferAll(values: readonly unknown[]): Shape {
  const types = new Set(values.map(typeOf));
  if (types.has('number')) types.delete('integer');
  const [first, ...more] = [...types].sort();
  const lists = values.filter((value) => Array.isArray(value));
  const elements = lists.flat();
  return {
    ...(first !== undefined && { type: more.length === 0 ? first : [first, ...more] }),
    ...commonFormat(values.filter((value) => typeof value === 'string')),
    ...(types.has('object') && inferMembers(values.filter((value) => typeOf(value) === 'object'))),
    ...(elements.length > 0 && { items: inferAll(elements) }),
  };
}

export function typeOf(value: unknown): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as Type;
}

function commonFormat(texts: readonly string[]): Pick<Shape, 'format' | 'pattern'> {
  const [first, ...others] = new Set(texts.map(formatOf));
  return others.length === 0 ? { ...first?.keywords } : {};
}

function inferMembers(objects: readonly unknown[]): Shape {
  const entries = objects.flatMap((object) => Object.entries(object as object));
  const members = new Map(entries.map(([name]) => [name, [] as unknown[]]));
  for (const [name, value] of entries) members.get(name)?.push(value);
  if (members.size > MAX_MEMBERS || [...members.keys()].some(isData)) {
    return { additionalProperties: inferAll([...members.values()].flat()) };
  }
  const shapes = [...members].map(([name, values]) => [name, inferAll(values)] as const);
  const inAll = [...members].filter(([, values]) => values.length === objects.length);
  // fromEntries creates an ordinary property even for `__proto__`.
  return {
    properties: Object.fromEntries(shapes),
    // Sorted, because the order of members varies between responses.
    required: inAll.map(([name]) => name).sort(),
  };
}

/** @returns an empty list for a schema that allows all types */
export function typesOf({ type = [] }: Shape): readonly Type[] {
  return [type].flat() as Type[];
}

/** A shape and, recursively, the shapes inside it, each with its path. */
export function* shapesIn(shape: Shape, path = ''): Generator<readonly [string, Shape]> {
  yield [path, shape];
  const { properties = {}, additionalProperties: map, items } = shape;
  for (const [name, member] of Object.entries(properties)) {
    yield* shapesIn(member, memberPath(path, name));
  }
  if (map) yield* shapesIn(map, memberPath(path, '*'));
  if (items) yield* shapesIn(items, `${path}[]`);
}

export function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A value of a shape, which reveals nothing about the received values. */
export function sampleOf(shape: Shape): unknown {
  const types = typesOf(shape);
  const { properties = {}, additionalProperties: map, items } = shape;
  switch (types.find((type) => type !== 'null')) {
    case 'boolean':
      return true;
    case 'integer':
      return 100;
    case 'number':
      return 100.5;
    case 'string':
      return formatIn(shape)?.sample ?? 'text';
    case 'array':
      return items ? [sampleOf(items)] : [];
    case 'object': {
      const members = Object.entries(map ? { name: map } : properties);
      return Object.fromEntries(members.map(([name, member]) => [name, sampleOf(member)]));
    }
    default:
      return null;
  }
}
