/** A mistake in JSON, and where it is. */
export interface JsonProblem {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  readonly message: string;
}

const WHITE_SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none in a string
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** The deepest nesting that is checked here; the server checks the rest. */
const DEEPEST = 500;

/** Finds the first mistake in JSON; `undefined` if there is none. */
export function checkJson(text: string): JsonProblem | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    // What browsers say differs, and not all of them say where it is.
    return { ...new Scanner(text).firstMistake() };
  }
}

/** Thrown at the first mistake. */
class Mistake {
  readonly at: number;
  readonly message: string;

  constructor(at: number, message: string) {
    this.at = at;
    this.message = message;
  }
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  firstMistake(): JsonProblem {
    try {
      this.#skip(WHITE_SPACE);
      this.#value(0);
      this.#skip(WHITE_SPACE);
      throw new Mistake(this.#at, 'nothing may follow the value');
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      const before = this.#text.slice(0, error.at).split('\n');
      return {
        line: before.length,
        column: (before.at(-1)?.length ?? 0) + 1,
        message: error.at >= this.#text.length ? 'the JSON ends too early' : error.message,
      };
    }
  }

  #value(depth: number): void {
    if (depth > DEEPEST) throw new Mistake(this.#at, 'the nesting is too deep');
    if (this.#take('{')) this.#list('}', () => this.#member(depth));
    else if (this.#take('[')) this.#list(']', () => this.#value(depth + 1));
    else if (this.#text[this.#at] === '"') this.#string();
    else if (!this.#skip(NUMBER) && !this.#skip(WORD))
      throw new Mistake(this.#at, 'expected a value');
  }

  #list(end: string, item: () => void): void {
    this.#skip(WHITE_SPACE);
    if (this.#take(end)) return;
    for (;;) {
      item();
      this.#skip(WHITE_SPACE);
      if (this.#take(end)) return;
      if (!this.#take(',')) throw new Mistake(this.#at, `expected , or ${end}`);
      this.#skip(WHITE_SPACE);
    }
  }

  #member(depth: number): void {
    if (this.#text[this.#at] !== '"') throw new Mistake(this.#at, 'expected a name in "quotes"');
    this.#string();
    this.#skip(WHITE_SPACE);
    if (!this.#take(':')) throw new Mistake(this.#at, 'expected :');
    this.#skip(WHITE_SPACE);
    this.#value(depth + 1);
  }

  #string(): void {
    if (!this.#skip(STRING)) throw new Mistake(this.#at, 'this text in quotes is invalid');
  }

  #take(letter: string): boolean {
    if (this.#text[this.#at] !== letter) return false;
    this.#at++;
    return true;
  }

  /** Passes what matches, if it is not empty. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found !== '';
  }
}

/** JSON with line breaks, to read; other text as it is. Its numbers stay as they were written. */
export function prettyJson(text: string): string {
  if (checkJson(text) !== undefined) return text;
  return indented(text);
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

function indented(json: string): string {
  let depth = 0;
  let output = '';
  const tokens = json.match(TOKEN) ?? [];
  const newLine = () => `\n${'  '.repeat(Math.min(depth, 40))}`;
  tokens.forEach((token, at) => {
    const next = tokens[at + 1];
    const isEmpty = (token === '[' && next === ']') || (token === '{' && next === '}');
    const opens = token === '[' || token === '{';
    const closes = token === ']' || token === '}';
    if (closes && depth > 0) {
      const wasEmpty = tokens[at - 1] === (token === ']' ? '[' : '{');
      depth--;
      if (!wasEmpty) output += newLine();
    }
    output += token === ':' ? ': ' : token;
    if (opens) depth++;
    if ((opens && !isEmpty) || token === ',') output += newLine();
  });
  return output;
}
