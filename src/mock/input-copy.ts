import { MomoMockError } from '../errors.ts';

/** As much of a definition as a copy needs. */
interface Shape {
  readonly title?: string;
  readonly type?: string;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: boolean | Shape;
}

/** Makes the error for a place in the input. */
type Refuse = (place: string, problem: string) => MomoMockError;

/**
 * Copies what a test gave. So the value that is checked is the value that is used, whatever becomes
 * of the one that was given, and a getter is asked once. The fields of a definition are copied one
 * by one; a value that only has to be JSON is what its JSON text says.
 *
 * @param root what the value as a whole is called in an error
 * @param refuse makes the error for a value that cannot be read, which is thrown
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
   * @param shapes what the value may be; none for one that no definition knows
   * @param path `''` for the value as a whole
   */
  copy(shapes: readonly Shape[], read: () => unknown, path: string): unknown {
    const place = path || this.#root;
    try {
      const value = read();
      const known = shapes.flatMap(alternatives);
      // It stays in the copy, so that the check finds it, also where JSON would leave it out.
      if (known.length === 0) return throughJson(value) ?? null;
      if (typeof value !== 'object' || value === null) return value;
      const json = known.find((shape) => shape.type === undefined && shape.title !== undefined);
      if (json === undefined) return this.#copyParts(known, value, path);
      const copied = throughJson(value);
      if (copied === undefined) throw this.#refuse(place, `must be ${json.title}`);
      return copied;
    } catch (error) {
      if (error instanceof MomoMockError) throw error;
      throw this.#refuse(place, 'a getter or a proxy throws when it is read. Give a plain value');
    }
  }

  #copyParts(shapes: readonly Shape[], value: object, path: string): unknown {
    if (Array.isArray(value)) {
      const place = path || this.#root;
      const lists = shapes.filter((shape) => shape.items !== undefined);
      // The check refuses it by its length.
      const isTooLong = lists.some(({ maxItems = Infinity }) => value.length > maxItems);
      if (isTooLong) return Array(value.length);
      const items = lists.flatMap((shape) => shape.items ?? []);
      return Array.from(value.keys(), (at) => this.copy(items, () => value[at], `${place}[${at}]`));
    }
    const fields = Object.keys(value).map((name) => {
      const named = shapes.flatMap(({ properties = {} }) => Object.entries(properties));
      const known = named.flatMap(([field, shape]) => (field === name ? shape : []));
      const others = shapes.flatMap(({ additionalProperties: shape }) =>
        typeof shape === 'object' ? shape : [],
      );
      // No error shows a name that the definition does not know: it may be a secret.
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

/** What the JSON text of a value says; `undefined` where there is none. */
function throughJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}
