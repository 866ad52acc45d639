import { printParseErrorCode, visit } from 'jsonc-parser';

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The first mistake in JSON, such as `Line 3, column 1: value expected`; empty if there is none. */
export function jsonMistake(text: string): string {
  // The parser below takes some texts that are not JSON.
  if (isJson(text)) return '';
  let mistake = '';
  const onError = (code: number, _at: number, _length: number, line: number, column: number) => {
    // `ValueExpected` -> `value expected`
    const words = printParseErrorCode(code)
      .replace(/(?<!^)[A-Z]/g, ' $&')
      .toLowerCase();
    mistake ||= `Line ${line + 1}, column ${column + 1}: ${words}`;
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // It is nested too deeply for the parser.
  }
  return mistake || 'This is not JSON';
}

/** White space, a text in quotes, an empty list or object, a sign, or a word. */
const TOKEN = /\s+|"(?:[^"\\]+|\\.)*"|\[\s*\]|\{\s*\}|[[\]{},:]|[^\s[\]{},:"]+/g;

/** The number of levels that are indented. More would be mostly white space. */
const DEEPEST = 40;

/** JSON with line breaks, to read; other text as it is. Its numbers stay as they were written. */
export function prettyJson(text: string): string {
  if (!isJson(text)) return text;
  let depth = 0;
  const lineAt = (level: number) => {
    depth = level;
    return `\n${'  '.repeat(Math.min(depth, DEEPEST))}`;
  };
  return text.replaceAll(TOKEN, (token) => {
    if (token === ':') return ': ';
    if (token === ',') return token + lineAt(depth);
    if (token === '[' || token === '{') return token + lineAt(depth + 1);
    if (token === ']' || token === '}') return lineAt(depth - 1) + token;
    return token.startsWith('"') ? token : token.replaceAll(/\s/g, '');
  });
}
