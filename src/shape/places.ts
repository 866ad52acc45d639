import { isData, memberPath, type Shape } from './shape.ts';

/** A value in a body, and the part of the schema for it. */
export interface Place {
  /** Such as `balance[].amount`; `*` is every name in a map. Empty for the whole body. */
  readonly path: string;
  /** The path as a JSON Pointer. */
  readonly pointer: string;
  /** Its name, if it is the member of an object. */
  readonly name?: string;
  readonly value: unknown;
  /** Follows only `properties`, `additionalProperties` and `items`. */
  readonly schema: unknown;
  /** Whether it is in a list or a map, so that its index or name is data. */
  readonly isElement: boolean;
  /** Whether the schema names the members of its object, but not this one. */
  readonly isNew: boolean;
}

/** The keywords of a schema that lead to elements and members. */
interface Rules extends Pick<Shape, 'items' | 'properties'> {
  readonly additionalProperties?: Shape | boolean;
  readonly patternProperties?: object;
}

/** The elements of a list, or the members of an object. */
export function* placesInside({ value, schema, path, pointer }: Place): Generator<Place> {
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
