import type { Span } from './secret-finder.ts';

const ROOT = 0;
/** Means "no child", because the root is never a child. */
const NONE = 0;

/**
 * Finds many words in a text at the same time, by the Aho-Corasick algorithm. Its time is linear in
 * the length of the text and of the words, however similar they are. The nodes are the prefixes of
 * the words. They are numbers with their data in arrays, because the words of one request can have
 * hundreds of thousands of nodes.
 */
export class AhoCorasick {
  /** By node, the character and the node of its first child. */
  readonly #unit: Uint16Array;
  readonly #child: Int32Array;
  /** By node and character, the other children. Most nodes have none. */
  readonly #others = new Map<number, number>();
  /** By node, its longest proper suffix that is a node too. */
  readonly #suffix: Int32Array;
  /** By node, the length of the longest word that it ends with; 0 if there is none. */
  readonly #longest: Int32Array;
  #count = 1;

  constructor(words: readonly string[]) {
    const most = words.reduce((sum, { length }) => sum + length, 1);
    this.#unit = new Uint16Array(most);
    this.#child = new Int32Array(most);
    this.#suffix = new Int32Array(most);
    this.#longest = new Int32Array(most);
    // Add the words in parallel, one character of each at a time, so that shorter suffixes exist.
    let growing = words.map((word) => ({ word, node: ROOT }));
    for (let depth = 0; growing.length > 0; depth++) {
      growing = growing.filter(({ word }) => word.length > depth);
      for (const one of growing) {
        one.node = this.#continue(one.node, one.word.charCodeAt(depth));
        if (one.word.length === depth + 1) this.#longest[one.node] = depth + 1;
      }
    }
  }

  /** The places of the words. If several end at the same character, only the longest counts. */
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

  /** The child of a node for a character, which is made if it does not exist. */
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

  /** The node after one more character: the longest prefix of a word that the text ends with. */
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
