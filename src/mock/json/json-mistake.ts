/** A place in a text. Lines and columns count from 1, and columns count characters. */
export interface Place {
  readonly line: number;
  readonly column?: number;
}

interface ParserError {
  readonly error: number;
  readonly offset: number;
  readonly length: number;
}

/** The part of jsonc-parser that finds mistakes: the page has it in its bundle, the mock loads it. */
interface Parser {
  parseTree(text: string, errors: ParserError[], options: object): unknown;
  printParseErrorCode(code: number): string;
}

/**
 * The first mistake in a text that `JSON.parse` rejects, whose own error quotes the text: words such
 * as `comma expected`, and their place.
 */
export function findJsonMistake(
  text: string,
  { parseTree, printParseErrorCode }: Parser,
  /** The text begins in this line of its file. */
  firstLine = 1,
) {
  const errors: ParserError[] = [];
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // After an unterminated string, this parser sees brackets that the check of levels skipped.
    if (!(error instanceof RangeError)) throw error;
  }
  const [first] = errors;
  if (first === undefined) return { words: 'syntax error', place: { line: firstLine } as Place };
  // `CommaExpected` -> `comma expected`
  const words = printParseErrorCode(first.error)
    .replace(/(?<!^)[A-Z]/g, ' $&')
    .toLowerCase();
  return { words, place: placeAt(text, first.offset, firstLine) };
}

export function placeAt(text: string, offset: number, firstLine = 1): Place {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  const lastLine = lines.at(-1) ?? '';
  return { line: firstLine + lines.length - 1, column: [...lastLine].length + 1 };
}
