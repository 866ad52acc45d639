/** What a request asks for: the target in its request line, taken apart. */
export interface RequestTarget {
  /** The path's segments, percent-decoded. `/momo/balance/` is `['momo', 'balance', '']`. */
  readonly segments: readonly string[];
  /** The query's parameters in order, decoded as a form is (`+` is a space). */
  readonly query: readonly (readonly [name: string, value: string])[];
}

const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
/** Seen in the field: HTTP/1.0 clients and proxies that send the whole URL. */
const ORIGIN = /^https?:\/\/[^/]*/i;

/**
 * Takes a request target apart.
 *
 * @param target as it came over the wire, so still percent-encoded
 * @returns `undefined` where it cannot be understood: it is no path, has a broken percent escape, or
 *   a path with a NUL or with bytes that are not UTF-8 (assumed: the contract does not say what the
 *   service does with these)
 */
export function parseTarget(target: string): RequestTarget | undefined {
  const segments = parsePath(target);
  if (segments === undefined) return undefined;
  const mark = target.indexOf('?');
  return { segments, query: mark === -1 ? [] : [...new URLSearchParams(target.slice(mark + 1))] };
}

/** The {@link RequestTarget.segments} of a request target, or `undefined` as {@link parseTarget}. */
export function parsePath(target: string): readonly string[] | undefined {
  if (BROKEN_ESCAPE.test(target)) return undefined;
  const [whole = ''] = target.split('?', 1);
  const path = whole.startsWith('/') ? whole : whole.replace(ORIGIN, '');
  if (!path.startsWith('/') && path === whole) return undefined;
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent);
    return segments.some((segment) => segment.includes('\0')) ? undefined : segments;
  } catch {
    return undefined;
  }
}
