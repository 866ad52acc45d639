export interface RequestTarget {
  /** The target as received. */
  readonly text: string;
  /** The path if none of its characters can be written in another way; otherwise `undefined`. */
  readonly plainPath: string | undefined;
  /** The percent-decoded segments of the path. `/momo/balance/` is `['momo', 'balance', '']`. */
  readonly segments: readonly string[];
  /** The query parameters in order, decoded like a form (`+` is a space). */
  readonly query: readonly (readonly [name: string, value: string])[];
}

const PLAIN = /^(\/[\w.~-]*)+$/;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
/** Seen in the field: HTTP/1.0 clients and proxies that send the whole URL. */
const ORIGIN = /^https?:\/\/[^/]*/i;

/**
 * @param target as received, so still percent-encoded
 * @returns `undefined` if it is invalid: not a path, a broken percent escape, or a path that
 *   contains a NUL or bytes that are not UTF-8 (assumed: the contract does not say how the service
 *   treats these)
 */
export function parseTarget(target: string): RequestTarget | undefined {
  if (BROKEN_ESCAPE.test(target)) return undefined;
  const queryStart = target.indexOf('?');
  const address = queryStart === -1 ? target : target.slice(0, queryStart);
  const path = address.startsWith('/') ? address : address.replace(ORIGIN, '');
  if (!path.startsWith('/') && path === address) return undefined;
  const plainPath = PLAIN.test(path) ? path : undefined;
  const encoded = path.slice(1).split('/');
  const segments = plainPath === undefined ? decodeSegments(encoded) : encoded;
  if (segments === undefined) return undefined;
  const query = queryStart === -1 ? [] : [...new URLSearchParams(target.slice(queryStart + 1))];
  return { text: target, plainPath, segments, query };
}

function decodeSegments(segments: readonly string[]): readonly string[] | undefined {
  try {
    const decoded = segments.map(decodeURIComponent);
    return decoded.some((segment) => segment.includes('\0')) ? undefined : decoded;
  } catch {
    return undefined;
  }
}
