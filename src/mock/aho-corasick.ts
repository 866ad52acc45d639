import type { Span } from './secret-finder.ts';

const ROOT = 0;
/** No node continues another one as the root. */
const NONE = 0;

/**
 * Finds many words in a text at the same time, by the algorithm of Aho and Corasick: it takes time in
 * proportion to the text and to the words, however alike they are. Its nodes are the beginnings of
 * the words. They are numbers, and what is known of each is in arrays, because the words of one
 * request can have hundreds of thousands.
 */
export class AhoCorasick {
  /** By node, a character that continues it, and the node that this leads to. */
  readonly #unit: Uint16Array;
  readonly #child: Int32Array;
  /** By node and character, where the other characters lead to. Most nodes have none. */
  readonly #others = new Map<number, number>();
  /** By node, the longest of its ends that is a node, too. */
  readonly #suffix: Int32Array;
  /** By node, the length of the longest word that it ends with; 0 where there is none. */
  readonly #longest: Int32Array;
  #count = 1;

  constructor(words: readonly string[]) {
    const most = words.reduce((sum, { length }) => sum + length, 1);
    this.#unit = new Uint16Array(most);
    this.#child = new Int32Array(most);
    this.#suffix = new Int32Array(most);
    this.#longest = new Int32Array(most);
    // One character of every word after the other: a suffix is shorter, so it is there before.
    let growing = words.map((word) => ({ word, node: ROOT }));
    for (let depth = 0; growing.length > 0; depth++) {
      growing = growing.filter(({ word }) => word.length > depth);
      for (const one of growing) {
        one.node = this.#continue(one.node, one.word.charCodeAt(depth));
        if (one.word.length === depth + 1) this.#longest[one.node] = depth + 1;
      }
    }
  }

  /** The places of the words; of those that end at the same character, the longest. */
  find(text: string): Span[] {
    const spans: Span[] = [];
    let node = ROOT;
    for (let end = 1; end <= text.length; end++) {
      node = this.#next(node, text.charCodeAt(end - 1));
      const longest = this.#longest[node] ?? 0;
      if (longest > 0) spans.push({ start: end - longest, end });
    }
    return spans;
  }

  /** The node that continues another, which is made where there is none. */
  #continue(node: number, unit: number): number {
    const known = this.#childOf(node, unit);
    if (known !== NONE) return known;
    const made = this.#count++;
    const suffix = node === ROOT ? ROOT : this.#next(this.#suffix[node] ?? ROOT, unit);
    this.#suffix[made] = suffix;
    this.#longest[made] = this.#longest[suffix] ?? 0;
    if (this.#child[node] === NONE) {
      this.#child[node] = made;
      this.#unit[node] = unit;
    } else this.#others.set(edge(node, unit), made);
    return made;
  }

  /** The longest beginning of a word that a text ends with, when one more character has come. */
  #next(from: number, unit: number): number {
    for (let node = from; ; node = this.#suffix[node] ?? ROOT) {
      const child = this.#childOf(node, unit);
      if (child !== NONE || node === ROOT) return child;
    }
  }

  #childOf(node: number, unit: number): number {
    const child = this.#child[node] ?? NONE;
    if (child === NONE || this.#unit[node] === unit) return child;
    return this.#others.get(edge(node, unit)) ?? NONE;
  }
}

function edge(node: number, unit: number): number {
  return node * 0x1_0000 + unit;
}
