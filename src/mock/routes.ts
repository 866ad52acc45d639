import type { Operation } from './operation.ts';

/** A place in the tree of paths. */
interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  readonly methods: Map<string, Operation>;
}

/** Finds the operations that answer at a path: fixed text wins over a parameter. */
export class Routes {
  readonly #root = node();
  readonly #words = new Set<string>();
  readonly #strict: boolean;

  /**
   * @param strictPaths `true`: no slash at the end, and letter case matters. Otherwise neither
   *   does (seen in the field: clients that send both)
   */
  constructor(operations: readonly Operation[], strictPaths: boolean) {
    this.#strict = strictPaths;
    for (const operation of operations) this.#add(operation);
  }

  /** The operations at a path by method, or `undefined` where no file answers. */
  find(segments: readonly string[]): ReadonlyMap<string, Operation> | undefined {
    const open = !this.#strict && segments.at(-1) === '';
    return this.#walk(this.#root, open ? segments.slice(0, -1) : segments, 0);
  }

  /**
   * A path that may be shown. Text that is in no operation's path is left out: it may be a key
   * that was put into the path.
   */
  describe(segments: readonly string[]): string {
    return `/${segments.map((text) => (text === '' || this.#words.has(this.#fold(text)) ? text : '…')).join('/')}`;
  }

  #add(operation: Operation): void {
    let at = this.#root;
    for (const segment of operation.segments) {
      if ('parameter' in segment) {
        at.parameter ??= node();
        at = at.parameter;
        continue;
      }
      const text = this.#fold(segment.literal);
      this.#words.add(text);
      let next = at.literals.get(text);
      if (next === undefined) {
        next = node();
        at.literals.set(text, next);
      }
      at = next;
    }
    at.methods.set(operation.method, operation);
  }

  #walk(at: Node, segments: readonly string[], depth: number): Node['methods'] | undefined {
    const segment = segments[depth];
    if (segment === undefined) return at.methods.size > 0 ? at.methods : undefined;
    const literal = at.literals.get(this.#fold(segment));
    const found = literal && this.#walk(literal, segments, depth + 1);
    if (found !== undefined || at.parameter === undefined || segment === '') return found;
    return this.#walk(at.parameter, segments, depth + 1);
  }

  #fold(text: string): string {
    return this.#strict ? text : text.toLowerCase();
  }
}

function node(): Node {
  return { literals: new Map(), parameter: undefined, methods: new Map() };
}
