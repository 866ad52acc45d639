import type { ParseError } from 'jsonc-parser';

/** A place in a text. Lines and columns count from 1, and columns count characters. */
export interface Place {
  readonly line: number;
  readonly column?: number;
}

/** What `JSON.parse` rejects in a text. */
export interface JsonMistake {
  /** Such as `comma expected`. Quotes nothing of the text. */
  readonly words: string;
  readonly place: Place;
}

/**
 * Finds the first mistake in a text that `JSON.parse` rejects, whose own message quotes the text.
 *
 * @param firstLine the line in the file where the text begins
 */
export async function findJsonMistake(text: string, firstLine = 1): Promise<JsonMistake> {
  const { parseTree, printParseErrorCode } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // After a string without an end, this parser sees brackets that the check of levels skipped.
    if (!(error instanceof RangeError)) throw error;
  }
  const [first] = errors;
  if (first === undefined) return { words: 'syntax error', place: { line: firstLine } };
  // `CommaExpected` -> `comma expected`
  const words = printParseErrorCode(first.error)
    .replace(/(?<!^)[A-Z]/g, ' $&')
    .toLowerCase();
  return { words, place: placeAt(text, first.offset, firstLine) };
}

/** The place of an offset in a text whose first line has this number in its file. */
export function placeAt(text: string, offset: number, firstLine = 1): Place {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  const lastLine = lines.at(-1) ?? '';
  return { line: firstLine + lines.length - 1, column: [...lastLine].length + 1 };
}
