import { type ParseError, parseTree } from 'jsonc-parser';

/** The place of the first mistake in a text that is not JSON, such as ` at line 1, column 2`. */
export function placeInJson(text: string): string {
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // After a text without its end, this parser sees brackets that are not counted as levels.
    if (!(error instanceof RangeError)) throw error;
  }
  const [first] = errors;
  if (first === undefined) return '';
  const lines = text.slice(0, first.offset).split(/\r\n|\n|\r/);
  return ` at line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
}
