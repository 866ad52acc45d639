import type { BodyField } from './body-fields.ts';
import { isSecretName } from './secret-names.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

/**
 * The fields of a JSON body, at any depth. `JSON.parse` does not return their places, and it
 * rejects a body that was cut.
 */
export function jsonFields(body: string): BodyField[] {
  const tokens = [...body.matchAll(TOKEN)];
  const fields: BodyField[] = [];
  let next = 0;
  for (const [at, { 0: token, index: start }] of tokens.entries()) {
    if (at < next || isMark(token)) continue;
    const text = textOf(token);
    const end = start + token.length;
    fields.push({ start, end, values: [text], isSecret: false, isJson: true });
    if (tokens[at + 1]?.[0] !== ':' || !isSecretName(text)) continue;
    const value = tokens.slice(at + 2, endOfValue(tokens, at + 2));
    next = at + 2 + value.length;
    const [first, last] = [value.at(0), value.at(-1)];
    if (first === undefined || last === undefined) continue;
    const place = { start: first.index, end: last.index + last[0].length };
    fields.push({ ...place, values: textsIn(value), isSecret: true, isJson: true });
  }
  return fields;
}

/** The index of the comma or bracket after a value. */
function endOfValue(tokens: readonly RegExpExecArray[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at]?.[0] ?? '';
    if (/^[{[]$/.test(token)) depth++;
    if (/^[\]}]$/.test(token)) depth--;
    if (depth < 0 || (depth === 0 && token === ',')) return at;
  }
  return tokens.length;
}

/** The texts and numbers in a value, without the names. */
function textsIn(value: readonly RegExpExecArray[]): string[] {
  const held = value.filter(
    ([token], at) =>
      !isMark(token) && value[at + 1]?.[0] !== ':' && !/^(true|false|null)$/.test(token),
  );
  return held.map(([token]) => textOf(token));
}

function isMark(token: string): boolean {
  return token.length === 1 && '{}[],:'.includes(token);
}

function textOf(token: string): string {
  if (!token.startsWith('"')) return token;
  if (!token.includes('\\')) return token.replace(/^"|"$/g, '');
  // The last text of a cut body has no closing quote.
  for (const text of [token, `${token}"`]) {
    try {
      return JSON.parse(text);
    } catch {}
  }
  return token.replace(/^"|"$/g, '');
}
