import { MomoMockError } from '../errors.ts';

/** The part of a definition that a copy needs. */
interface Shape {
  readonly title?: string;
  readonly type?: string;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Shape>>;
  /** The values of a record. */
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: boolean | Shape;
}

/** Makes the error for a place in the input. */
type Refuse = (place: string, problem: string) => MomoMockError;

/**
 * Copies the input of a test, so that later changes and getters do not matter: the checked value is
 * the value that is used. The fields of a definition are copied one by one. A value for which the
 * definition allows any JSON is converted to JSON and back.
 *
 * @param root the name of the whole value in errors
 * @param refuse makes the error to throw for a value that cannot be read
 */
export function copyInput(shape: object, value: unknown, root: string, refuse: Refuse): unknown {
  return new Copier(root, refuse).copy([shape], () => value, '');
}

class Copier {
  readonly #root: string;
  readonly #refuse: Refuse;

  constructor(root: string, refuse: Refuse) {
    this.#root = root;
    this.#refuse = refuse;
  }

  /**
   * @param shapes the allowed shapes of the value; empty for an unknown field
   * @param path the path of the value; `''` for the whole value
   */
  copy(shapes: readonly Shape[], read: () => unknown, path: string): unknown {
    const place = path || this.#root;
    try {
      const value = read();
      const known = shapes.flatMap(alternatives);
      // Keep unknown fields, so that the check finds them, even if JSON would leave them out.
      if (known.length === 0) return throughJson(value) ?? null;
      if (typeof value !== 'object' || value === null) return value;
      const json = known.find((shape) => shape.type === undefined && shape.title !== undefined);
      if (json === undefined) return this.#copyParts(known, value, path);
      const copied = throughJson(value);
      if (copied === undefined) throw this.#refuse(place, `must be ${json.title}`);
      return copied;
    } catch (error) {
      if (error instanceof MomoMockError) throw error;
      throw this.#refuse(place, 'a getter or a proxy throws when it is read. Use a plain value');
    }
  }

  #copyParts(shapes: readonly Shape[], value: object, path: string): unknown {
    if (Array.isArray(value)) {
      const place = path || this.#root;
      const lists = shapes.filter((shape) => shape.items !== undefined);
      // The check refuses a list of this length.
      const isTooLong = lists.some(({ maxItems = Infinity }) => value.length > maxItems);
      if (isTooLong) return Array(value.length);
      const items = lists.flatMap((shape) => shape.items ?? []);
      return Array.from(value.keys(), (at) => this.copy(items, () => value[at], `${place}[${at}]`));
    }
    const named = shapes.flatMap(({ properties = {} }) => Object.entries(properties));
    const others = shapes.flatMap(({ additionalProperties: shape, patternProperties = {} }) => [
      ...Object.values(patternProperties),
      ...(typeof shape === 'object' ? [shape] : []),
    ]);
    const fields = Object.keys(value).map((name) => {
      const known = named.flatMap(([field, shape]) => (field === name ? shape : []));
      // Errors do not show unknown names, which may be secrets.
      const fieldPath = known.length === 0 ? path : path === '' ? name : `${path}.${name}`;
      const read = () => (value as Readonly<Record<string, unknown>>)[name];
      return [name, this.copy(known.length === 0 ? others : known, read, fieldPath)];
    });
    return Object.fromEntries(fields);
  }
}

function alternatives(shape: Shape): readonly Shape[] {
  return shape.anyOf?.flatMap(alternatives) ?? [shape];
}

/** Converts a value to JSON and back; `undefined` if it cannot be written as JSON. */
function throughJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}
