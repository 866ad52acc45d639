import { parseTree, printParseErrorCode } from 'jsonc-parser';
import { findJsonMistake } from '../mock/json/json-mistake.ts';

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The first mistake, such as `Line 3, column 1: value expected`; empty if there is none. */
export function jsonMistake(text: string): string {
  if (isJson(text)) return '';
  const { words, place } = findJsonMistake(text, { parseTree, printParseErrorCode });
  const column = place.column === undefined ? '' : `, column ${place.column}`;
  return `Line ${place.line}${column}: ${words}`;
}

/** White space, a text in quotes, an empty list or object, a sign, or a word. */
const TOKEN = /\s+|"(?:[^"\\]+|\\.)*"|\[\s*\]|\{\s*\}|[[\]{},:]|[^\s[\]{},:"]+/g;

/** Formats JSON, without changing its numbers. Returns other text unchanged. */
export function prettyJson(text: string): string {
  if (!isJson(text)) return text;
  let depth = 0;
  // Deeper than 40 levels, it would be mostly white space.
  const line = () => `\n${'  '.repeat(Math.min(depth, 40))}`;
  return text.replaceAll(TOKEN, (token) => {
    if (token === ':') return ': ';
    if (token === ',') return `,${line()}`;
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    else return token.startsWith('"') ? token : token.replaceAll(/\s/g, '');
    return token === '[' || token === '{' ? token + line() : line() + token;
  });
}
