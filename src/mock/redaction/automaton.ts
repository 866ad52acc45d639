/** A part of a text. `end` is the index after its last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The minimum length of a secret to search for, in characters. Shorter texts are too common. */
export const MIN_LENGTH = 4;

/** The maximum length of an incomplete escape at a cut, such as `\u00e`. */
const MAX_CUT_ESCAPE = 5;

/**
 * The automaton of Aho and Corasick: it finds all texts of a list in one pass over a text. Each node
 * is a number and stands for the beginning of some texts; the root, 0, for the empty one.
 */
export class Automaton {
  /** The next node, by {@link edge}. */
  readonly #next = new Map<number, number>();
  /** It has for each node the longest end that is also a node. */
  readonly #ends = [0];
  readonly #lengths = [0];
  /** For each node: the node of the longest text that it ends with, or 0. */
  readonly #found = [0];
  /** The nodes of texts that were removed. */
  readonly #removed = new Set<number>();

  constructor(texts: readonly string[]) {
    // All nodes of one length before the longer ones, which need their ends.
    let growing = texts.map((text) => ({ text, node: 0 }));
    for (let length = 1; growing.length > 0; length++) {
      for (const branch of growing) {
        const code = branch.text.charCodeAt(length - 1);
        branch.node = this.#next.get(edge(branch.node, code)) ?? this.#add(branch.node, code);
        if (branch.text.length === length) this.#found[branch.node] = branch.node;
      }
      growing = growing.filter(({ text }) => text.length > length);
    }
  }

  get nodes(): number {
    return this.#ends.length;
  }

  /** A search no longer finds the text, but its nodes stay. */
  remove(text: string): void {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      node = this.#next.get(edge(node, text.charCodeAt(at))) ?? 0;
    }
    if (this.#lengths[node] === text.length) this.#removed.add(node);
  }

  /**
   * The places of the texts, without those inside a longer one that ends at the same place. Before a
   * cut, the beginning of a text also counts.
   */
  find(text: string, isCut: boolean): Span[] {
    const spans: Span[] = [];
    const { length } = text;
    let node = 0;
    for (let end = 1; end <= length; end++) {
      node = this.#step(node, text.charCodeAt(end - 1));
      let found = this.#found[node] ?? 0;
      while (this.#removed.has(found)) {
        found = this.#found[this.#ends[found] ?? 0] ?? 0;
      }
      if (found > 0) spans.push({ start: end - (this.#lengths[found] ?? 0), end });
      if (isCut && end + MAX_CUT_ESCAPE >= length) {
        const begun = this.#lengths[node] ?? 0;
        if (begun >= MIN_LENGTH) spans.push({ start: end - begun, end: length });
      }
    }
    return spans;
  }

  /** The longest end of a node and a character that is a node. */
  #step(from: number, code: number): number {
    let node = from;
    let next = this.#next.get(edge(node, code));
    while (next === undefined && node !== 0) {
      node = this.#ends[node] ?? 0;
      next = this.#next.get(edge(node, code));
    }
    return next ?? 0;
  }

  #add(parent: number, code: number): number {
    // Before the node exists, because it is not its own end.
    const end = this.#step(this.#ends[parent] ?? 0, code);
    const node = this.#ends.push(end) - 1;
    this.#lengths.push((this.#lengths[parent] ?? 0) + 1);
    this.#found.push(this.#found[end] ?? 0);
    this.#next.set(edge(parent, code), node);
    return node;
  }
}

function edge(node: number, code: number): number {
  return node * 0x1_0000 + code;
}
