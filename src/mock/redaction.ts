import { type BodyField, bodyFields } from './body-fields.ts';
import { SecretFinder, SHORTEST, type Span } from './secret-finder.ts';
import { isSecretName } from './secret-names.ts';

/** What takes the place of a secret. */
export const REDACTED = '[redacted]';

/** The headers of a request, names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

type Pair = readonly [name: string, value: string];

/** What a client decides in a request, as it came. */
export interface RequestParts {
  readonly headers: RequestHeaders;
  /** Decoded. */
  readonly path: string | null;
  /** The words of its path are no secrets. */
  readonly operation: string | null;
  readonly query: readonly Pair[];
  readonly body: string;
  /** Whether more of the body came than was kept. */
  readonly bodyCut: boolean;
}

/** The same without secrets. A name that came several times has a list. */
export interface RedactedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly path: string | null;
  readonly body: string;
}

/**
 * Takes secrets out of what is shown of a request. By name: the value of every header, query
 * parameter and body field that goes by the name of a secret. By value: every configured key, and
 * the secrets that came by such a name in the same request, wherever they stand. A configured key
 * of fewer than 4 characters is taken out only where it is a whole name or value, and a shorter
 * secret of the request only by name: as parts of other texts they are too common.
 */
export class Redactor {
  readonly #keys = new SecretFinder();

  /** Adds a configured key. It stays a secret until the process ends, whatever becomes of it. */
  remember(key: string): void {
    this.#keys.add(key);
  }

  /** Whether a text is or contains a configured key. */
  isSecret(text: string): boolean {
    return this.redact(text) !== text;
  }

  /** Takes configured keys out of a text. */
  redact(text: string): string {
    return hide(text, this.#keys.find(text));
  }

  /** Takes all secrets out of a request. */
  redactRequest(request: RequestParts): RedactedRequest {
    const { headers, path, operation, query, body, bodyCut } = request;
    const lines = Object.entries(headers).flatMap(([name, value = '']) =>
      [value].flat().map((one): Pair => [name, one]),
    );
    const fields = bodyFields(body);
    const secrets = [...secretsOf(lines, query, fields)];
    const own = new Set(secrets.filter(({ length }) => length >= SHORTEST));
    const more = [...own];
    const find = (text: string) => this.#keys.find(text, { more });
    const redact = (text: string) => hide(text, find(text));
    const isSecret = (text: string) => this.#keys.has(text.trim()) || own.has(text.trim());
    const named = fields.filter((field) => field.isSecret || field.values.some(isSecret));
    const found = this.#keys.find(body, { more, isCut: bodyCut });
    return {
      headers: redactPairs(lines, redact),
      query: redactPairs(query, redact),
      path: path && hide(path, inPath(path, operation, find)),
      body: hide(body, [...named, ...found]),
    };
  }
}

function* secretsOf(headers: readonly Pair[], query: readonly Pair[], fields: BodyField[]) {
  for (const [name, value] of headers) if (isSecretName(name)) yield* headerSecrets(value);
  for (const [name, value] of query) if (isSecretName(name)) yield* withoutScheme(value);
  for (const { isSecret, values } of fields) if (isSecret) yield* values.flatMap(withoutScheme);
}

/** Also what came in several headers of one name, and each value of `a=X; b="Y"`. */
function headerSecrets(value: string): string[] {
  const pieces = value.split(/[,;]/);
  const values = pieces.map((piece) => piece.slice(piece.indexOf('=') + 1).replaceAll('"', ''));
  return [value, ...pieces, ...values].flatMap(withoutScheme);
}

/** `Bearer X`, and `X`. */
function withoutScheme(value: string): string[] {
  const text = value.trim();
  const space = text.search(/\s/);
  return space === -1 ? [text] : [text, text.slice(space).trim()];
}

function redactPairs(pairs: readonly Pair[], redact: (text: string) => string) {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const shownName = redact(name);
    const shown = isSecretName(name) ? REDACTED : redact(value);
    const list = values.get(shownName);
    if (list === undefined) values.set(shownName, [shown]);
    else list.push(shown);
  }
  return Object.fromEntries(
    [...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? '') : list]),
  );
}

/** The secrets in a path: in a segment that is no word of the operation, or over several. */
function inPath(path: string, operation: string | null, find: (text: string) => Span[]): Span[] {
  const words = (operation ?? '').toLowerCase().split(/[ /]/);
  let next = 0;
  const inside = path.split('/').flatMap((segment) => {
    const at = next;
    next += segment.length + 1;
    const spans = words.includes(segment.toLowerCase()) ? [] : find(segment);
    return spans.map(({ start, end }) => ({ start: at + start, end: at + end }));
  });
  const over = find(path).filter(({ start, end }) => path.slice(start, end).includes('/'));
  return [...inside, ...over];
}

/** Puts a mark in the place of each span; in one place where they overlap. */
function hide(text: string, spans: readonly (Span & Pick<BodyField, 'isJson'>)[]): string {
  let shown = '';
  let at = 0;
  let last = -1;
  for (const { start, end, isJson } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start >= at && start > last) {
      shown += text.slice(at, start) + (isJson ? `"${REDACTED}"` : REDACTED);
      last = start;
    }
    at = Math.max(at, end);
  }
  return shown + text.slice(at);
}

/** Looks like a word of a path, or like a version. A key or an id does not. */
const WORD = /^(?:[a-z._-]{0,24}|v\d{1,3})$/i;

/**
 * A path that may be logged though no operation has it: segments that look like words show a typo,
 * the others may hold a key and are left out (`…`).
 *
 * @param segments decoded
 * @param isSecret whether a text is or contains a configured key
 */
export function loggablePath(
  segments: readonly string[],
  isSecret: (text: string) => boolean,
): string {
  const isWord = (text: string) => WORD.test(text) && !isSecret(text);
  return `/${segments.map((text) => (isWord(text) ? text : '…')).join('/')}`;
}
