import { inside, type Place, placesIn, wholeOf } from './places.ts';
import type { Shape } from './shape.ts';
import { formatOf, type TextFormat } from './text-format.ts';

/** A value that is neither a list nor an object. */
type Leaf = string | number | boolean | null;

/** A leaf of a body, or the name of a member of a map. */
interface Original {
  /** Such as `balance[].amount`; for a name in a map, such as `balances.* (name)`. */
  readonly path: string;
  readonly leaf: Leaf;
}

/** The shortest original that no made-up value may contain, in UTF-16 units. */
const SHORTEST_PART = 8;

/** How many candidates more than there are originals are tried for a place. */
const MOST_TRIES = 1000;

/** The error for a body for which no value could be made up. Its message has paths, and no value. */
export class NotMadeUp extends Error {
  override readonly name = 'NotMadeUp';
  readonly paths: readonly string[];

  constructor(paths: readonly string[]) {
    super('A made-up value equals or contains an original one.');
    this.paths = [...new Set(paths)];
  }
}

/** The originals of a body, and whether what is to be written has one of them. */
export class Originals {
  readonly #shape: Shape;
  readonly #keep: ReadonlySet<string>;
  readonly #texts: ReadonlySet<string>;
  /** The paths of all leaves. */
  readonly paths: ReadonlySet<string>;

  /**
   * @param shape the shape of the body
   * @param keep the paths whose values are no secret
   */
  constructor(body: unknown, shape: Shape, keep: ReadonlySet<string>) {
    const originals = [...originalsIn(body, shape)];
    this.#shape = shape;
    this.#keep = keep;
    this.#texts = new Set(originals.map(({ leaf }) => String(leaf)));
    this.paths = new Set(originals.map(({ path }) => path));
  }

  /** Whether a value may be in a file: it equals no original, and contains none of 8 or more characters. */
  allows(path: string, leaf: Leaf): boolean {
    if (leaf === null || typeof leaf === 'boolean' || this.#keep.has(path)) return true;
    const text = String(leaf);
    if (this.#texts.has(text)) return false;
    for (let start = 0; start <= text.length - SHORTEST_PART; start++) {
      for (let end = start + SHORTEST_PART; end <= text.length; end++) {
        if (this.#texts.has(text.slice(start, end))) return false;
      }
    }
    return true;
  }

  /**
   * Checks a text that is about to be written.
   *
   * @throws {@link NotMadeUp} if it has an original
   */
  check(text: string): void {
    const leaks = [...originalsIn(JSON.parse(text), this.#shape)].filter(
      ({ path, leaf }) => !this.allows(path, leaf),
    );
    if (leaks.length > 0) throw new NotMadeUp(leaks.map(({ path }) => path));
  }

  /**
   * Makes up a body of the same structure. The same original becomes the same made-up value everywhere,
   * so that references fit.
   *
   * @throws {@link NotMadeUp} if no value can be made up for a place
   */
  makeUp(body: unknown): unknown {
    const made = new Map<Leaf, Leaf>();
    const counts = new Map<string, number>();
    const leafAt = (path: string, leaf: Leaf): Leaf => {
      if (this.allows(path, leaf)) return leaf;
      const format = typeof leaf === 'string' ? formatOf(leaf) : undefined;
      const counter = format?.name ?? typeof leaf;
      for (let tries = 0; !made.has(leaf); tries++) {
        if (tries > this.#texts.size + MOST_TRIES) throw new NotMadeUp([path]);
        const count = (counts.get(counter) ?? 0) + 1;
        counts.set(counter, count);
        const candidate = candidateFor(leaf, format, count);
        if (candidate === undefined) throw new NotMadeUp([path]);
        if (this.allows(path, candidate)) made.set(leaf, candidate);
      }
      return made.get(leaf) ?? null;
    };
    return replaced(wholeOf(body, this.#shape), leafAt);
  }
}

/** Leaves, and the names of members of maps. */
function* originalsIn(body: unknown, shape: Shape): Generator<Original> {
  for (const { path, name, value, isInMap } of placesIn(wholeOf(body, shape))) {
    if (isInMap) yield { path: namePath(path), leaf: name ?? '' };
    if (typeof value !== 'object' || value === null) yield { path, leaf: value as Leaf };
  }
}

function replaced(place: Place, leafAt: (path: string, leaf: Leaf) => Leaf): unknown {
  const { path, value } = place;
  if (typeof value !== 'object' || value === null) return leafAt(path, value as Leaf);
  const made = [...inside(place)].map((inner) => {
    const { name = '', isInMap } = inner;
    const shown = isInMap ? String(leafAt(namePath(inner.path), name)) : name;
    return [shown, replaced(inner, leafAt)] as const;
  });
  return Array.isArray(value) ? made.map(([, one]) => one) : Object.fromEntries(made);
}

/** The place of the names of a map, which `--keep` does not name. */
function namePath(path: string): string {
  return `${path} (name)`;
}

/** A made-up value of the same type and format; `undefined` if there are no more. */
function candidateFor(leaf: Leaf, format: TextFormat | undefined, count: number): Leaf | undefined {
  if (typeof leaf === 'number') return Number.isInteger(leaf) ? count * 100 : count * 100 + 0.5;
  return format === undefined ? `text ${count}` : format.make(count, String(leaf));
}
