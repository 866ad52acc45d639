import { MAX_LEVELS } from './limits.ts';

/** The JSON of a value; `undefined` if it cannot be written as JSON, or has too many levels. */
export function jsonOf(value: unknown): string | undefined {
  try {
    const json = JSON.stringify(value);
    return json !== undefined && isTooDeep(json) ? undefined : json;
  } catch {
    // A circular value, a bigint, or a getter that throws.
    return undefined;
  }
}

/** The parsed value; `undefined` for text that is not JSON, and for JSON with too many levels. */
export function parsedJson(text: string): unknown {
  // Most requests have no body, and an exception is expensive.
  if (text === '' || isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether JSON has too many levels of lists and objects. Also counts the brackets of text that is
 * not JSON.
 *
 * @param most @default 100
 */
export function isTooDeep(json: string, most?: number): boolean {
  return tooDeepAt(json, most) !== undefined;
}

/** The index of the first level that is not allowed, if there is one. */
export function tooDeepAt(json: string, most: number = MAX_LEVELS): number | undefined {
  if (json.length <= most) return undefined;
  let level = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === '"') isInText = !isInText;
    // Also skips an escaped quote.
    else if (isInText && sign === '\\') at++;
    else if (isInText) continue;
    else if (sign === '{' || sign === '[') level++;
    else if (sign === '}' || sign === ']') level--;
    if (level > most) return at;
  }
  return undefined;
}

export const TOO_DEEP = `must have at most ${MAX_LEVELS} levels of lists and objects`;
