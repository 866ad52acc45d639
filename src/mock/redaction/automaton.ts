/** A part of a text. `end` is the index after its last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The minimum length of a secret to search for, in characters. Shorter texts are too common. */
export const MIN_LENGTH = 4;

/** The maximum length of an incomplete escape at a cut, such as `\u00e`. */
const MAX_CUT_ESCAPE = 5;

/** An odd number that no client knows, so that none can choose texts with equal hashes. */
const oddNumber = () => (Math.random() * 2 ** 32) | 1;
const NODE_FACTOR = oddNumber();
const HASH_FACTOR = oddNumber();

/**
 * The automaton of Aho and Corasick: it finds all texts of a list in one pass over a text. Each node
 * is the beginning of some texts; the root, 0, is the empty one. Lists of numbers instead of objects,
 * because ten thousand keys have some hundred thousand nodes.
 */
export class Automaton {
  /** For each node: the node without the last character, and this character. */
  readonly #parents: Int32Array;
  readonly #codes: Uint16Array;
  /** For each node: its longest end that is also a node. */
  readonly #ends: Int32Array;
  readonly #lengths: Int32Array;
  /** For each node: the length of the longest text that it ends with, or 0. */
  readonly #found: Int32Array;
  /** A hash table from a node and a character to the next node; 0 is a free place. */
  readonly #table: Int32Array;
  readonly #shift: number;
  #count = 1;

  constructor(texts: readonly string[]) {
    const size = texts.reduce((sum, { length }) => sum + length, 1);
    const bits = Math.ceil(Math.log2(size)) + 1;
    this.#parents = new Int32Array(size);
    this.#codes = new Uint16Array(size);
    this.#ends = new Int32Array(size);
    this.#lengths = new Int32Array(size);
    this.#found = new Int32Array(size);
    this.#table = new Int32Array(2 ** bits);
    this.#shift = 32 - bits;
    // All nodes of one length before the longer ones, which need their ends.
    let growing = texts.map((text) => ({ text, node: 0 }));
    for (let length = 1; growing.length > 0; length++) {
      for (const branch of growing) {
        const code = branch.text.charCodeAt(length - 1);
        branch.node = this.#next(branch.node, code) || this.#add(branch.node, code);
        if (branch.text.length === length) this.#found[branch.node] = length;
      }
      growing = growing.filter(({ text }) => text.length > length);
    }
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
      const found = this.#found[node] ?? 0;
      if (found > 0) spans.push({ start: end - found, end });
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
    let next = this.#next(node, code);
    while (next === 0 && node !== 0) {
      node = this.#ends[node] ?? 0;
      next = this.#next(node, code);
    }
    return next;
  }

  #next(node: number, code: number): number {
    for (let place = this.#hash(node, code); ; place = (place + 1) % this.#table.length) {
      const next = this.#table[place] ?? 0;
      if (next === 0 || (this.#parents[next] === node && this.#codes[next] === code)) return next;
    }
  }

  #add(parent: number, code: number): number {
    // Before the node exists, because it is not its own end.
    const end = parent === 0 ? 0 : this.#step(this.#ends[parent] ?? 0, code);
    const node = this.#count++;
    this.#parents[node] = parent;
    this.#codes[node] = code;
    this.#ends[node] = end;
    this.#lengths[node] = (this.#lengths[parent] ?? 0) + 1;
    this.#found[node] = this.#found[end] ?? 0;
    let place = this.#hash(parent, code);
    while (this.#table[place] !== 0) place = (place + 1) % this.#table.length;
    this.#table[place] = node;
    return node;
  }

  #hash(node: number, code: number): number {
    return Math.imul(Math.imul(node, NODE_FACTOR) + code, HASH_FACTOR) >>> this.#shift;
  }
}
