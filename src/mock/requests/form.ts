import { MAX_FIELDS } from '../limits.ts';
import { fieldsOf, type Pair } from './request-target.ts';

const URL_ENCODED = /^application\/x-www-form-urlencoded\b/i;
const MULTIPART = /^multipart\/form-data\b/i;
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i;
/** The headers of a part, and its value. */
const PART = /^[ \t]*((?:\r\n[^\r\n]+)*)\r\n\r\n(.*)$/s;
const DISPOSITION = /^content-disposition:\s*form-data\s*(;.*)$/im;
const NAME = /;\s*name=(?:"([^"]*)"|([^\s;"]+))/i;

/**
 * Whether a body is read as JSON. Assumed: one that looks like JSON is, because clients send wrong
 * types: `curl -d` declares a form.
 */
export function isJson(text: string, type = ''): boolean {
  return /^[^;]*[/+]json\b/i.test(type) || /^\s*[{[]/.test(text);
}

/** @returns `undefined` if it is not a form */
export function formFields(
  text: string,
  type?: string,
): Record<string, string | string[]> | undefined {
  const pairs = formPairs(text, type);
  return pairs && fieldsOf(pairs);
}

/** The fields in order, of multipart without the files; `undefined` if it is not a form. */
export function formPairs(text: string, type = ''): readonly Pair[] | undefined {
  if (URL_ENCODED.test(type)) return [...new URLSearchParams(text)];
  const delimiter = delimiterOf(type);
  if (delimiter === undefined) return undefined;
  const [, ...parts] = `\r\n${text}`.split(delimiter);
  return parts.length === 0 ? undefined : parts.flatMap(partPairs);
}

export function hasTooManyFields(text: string, type = ''): boolean {
  if (URL_ENCODED.test(type)) return text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS;
  const delimiter = delimiterOf(type);
  // One piece is before the first delimiter, and one after the last.
  const most = MAX_FIELDS + 2;
  return delimiter !== undefined && `\r\n${text}`.split(delimiter, most + 1).length > most;
}

function delimiterOf(type: string): string | undefined {
  if (!MULTIPART.test(type)) return undefined;
  const [, quoted, boundary = quoted] = BOUNDARY.exec(type) ?? [];
  return boundary && `\r\n--${boundary}`;
}

/** The field of a part; none for a file, and for what follows the last delimiter. */
function partPairs(part: string): Pair[] {
  const [, head = '', value = ''] = PART.exec(part) ?? [];
  const [, parameters = ''] = DISPOSITION.exec(head) ?? [];
  const [, quoted, name = quoted] = NAME.exec(parameters) ?? [];
  const isFile = /;\s*filename\*?=/i.test(parameters);
  return name === undefined || isFile ? [] : [[decodedName(name), value]];
}

/** Browsers and fetch write the characters that a quoted name cannot have like this. */
function decodedName(name: string): string {
  return name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}
