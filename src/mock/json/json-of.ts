import { MAX_GIVEN_VALUES, MAX_LEVELS } from '../limits.ts';
import { writeJson } from './exact-json.ts';

/** The JSON of a value; `undefined` if it cannot be written as JSON, or has too many levels. */
export function jsonOf(value: unknown): string | undefined {
  try {
    const json = writeJson(value);
    return json !== undefined && isTooDeep(json) ? undefined : json;
  } catch {
    // A circular value, or a getter that throws.
    return undefined;
  }
}

/** @returns `undefined` for text that is not JSON, and for JSON with too many levels */
export function parsedJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  // Most requests have no body, and an exception is expensive.
  if (text === '' || isTooDeep(text)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** It also counts the brackets of text that is not JSON. */
export function isTooDeep(json: string, maxLevels?: number): boolean {
  return tooDeepAt(json, maxLevels) !== undefined;
}

/** The index of the first level that is not allowed. */
export function tooDeepAt(json: string, maxLevels: number = MAX_LEVELS): number | undefined {
  if (json.length <= maxLevels) return undefined;
  let level = 0;
  return findOutsideTexts(json, (character) => {
    if (character === '{' || character === '[') level++;
    else if (character === '}' || character === ']') level--;
    return level > maxLevels;
  });
}

/** It counts an empty list or object twice. */
export function hasTooManyValues(json: string): boolean {
  if (json.length <= MAX_GIVEN_VALUES) return false;
  let values = 1;
  const isNext = (character: string) => character === ',' || character === '[' || character === '{';
  return (
    findOutsideTexts(json, (character) => isNext(character) && ++values > MAX_GIVEN_VALUES) !==
    undefined
  );
}

function findOutsideTexts(
  json: string,
  isFound: (character: string) => boolean,
): number | undefined {
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const character = json.charAt(at);
    if (character === '"') isInText = !isInText;
    // Also skips an escaped quote.
    else if (isInText && character === '\\') at++;
    else if (!isInText && isFound(character)) return at;
  }
  return undefined;
}

export const TOO_DEEP = `must have at most ${MAX_LEVELS} levels of lists and objects`;
