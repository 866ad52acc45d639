export interface RequestTarget {
  readonly text: string;
  /** The path as received, without the origin and the query. */
  readonly path: string;
  /** Whether no character of the path can be written in another way. */
  readonly isPlain: boolean;
  /** The percent-decoded segments of the path. `/momo/balance/` is `['momo', 'balance', '']`. */
  readonly segments: readonly string[];
  /** The query parameters in order, decoded like a form (`+` is a space). */
  readonly query: readonly Pair[];
}

export type Pair = readonly [name: string, value: string];

const PLAIN = /^(\/[\w.~-]*)+$/;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
/** Seen in the field: HTTP/1.0 clients and proxies that send the whole URL. */
const ORIGIN = /^https?:\/\/[^/]*/i;

/**
 * @returns `undefined` if it is invalid: not a path, a broken percent escape, or a path that
 *   contains a NUL or bytes that are not UTF-8 (assumed)
 */
export function parseTarget(target: string): RequestTarget | undefined {
  if (BROKEN_ESCAPE.test(target)) return undefined;
  const queryStart = target.indexOf('?');
  const address = queryStart === -1 ? target : target.slice(0, queryStart);
  const path = address.startsWith('/') ? address : address.replace(ORIGIN, '');
  if (!path.startsWith('/') && path === address) return undefined;
  const isPlain = PLAIN.test(path);
  const encoded = path.slice(1).split('/');
  const segments = isPlain ? encoded : decodeSegments(encoded);
  if (segments === undefined) return undefined;
  const query = queryStart === -1 ? [] : [...new URLSearchParams(target.slice(queryStart + 1))];
  return { text: target, path, isPlain, segments, query };
}

/**
 * Whether a path is the one of a request, or of its operation. As for the router, it does not matter
 * how it is percent-encoded, nor, in an operation, the letter case of its words and a trailing slash.
 */
export function isPathOf(
  path: string,
  {
    path: received,
    operation,
  }: { readonly path: string | null | undefined; readonly operation: string | null | undefined },
): boolean {
  if (received == null) return false;
  const template = operation?.slice(operation.indexOf(' ') + 1);
  if (path === received || path === template) return true;
  return formOf(path, template) === formOf(received, template);
}

function formOf(path: string, template: string | undefined): string {
  const { segments = [] } = parseTarget(path) ?? {};
  if (template === undefined) return segments.join('\0');
  const words = template.slice(1).split('/');
  const all = segments.at(-1) === '' ? segments.slice(0, -1) : segments;
  const isWord = (at: number) => words[at]?.startsWith(':') === false;
  return all.map((text, at) => (isWord(at) ? text.toLowerCase() : text)).join('\0');
}

function decodeSegments(segments: readonly string[]): readonly string[] | undefined {
  try {
    const decoded = segments.map(decodeURIComponent);
    return decoded.some((segment) => segment.includes('\0')) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** The fields of a query, a form or headers. A repeated field becomes a list. */
export function fieldsOf(pairs: Iterable<Pair>): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    const previous = fields.get(name);
    if (Array.isArray(previous)) previous.push(value);
    else fields.set(name, previous === undefined ? value : [previous, value]);
  }
  return Object.fromEntries(fields);
}

/** The opposite of {@link fieldsOf}. */
export function pairsOf(
  fields: Readonly<Record<string, string | readonly string[] | undefined>>,
): Pair[] {
  return Object.entries(fields).flatMap(([name, value = '']) =>
    [value].flat().map((one): Pair => [name, one]),
  );
}

/** Names are in lower case. A repeated header has a list of values. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
