/** A request target, taken apart: what stands between the method and the HTTP version. */
export interface Target {
  /** The path's segments, percent-decoded. `/momo/balance/` is `['momo', 'balance', '']`. */
  readonly segments: readonly string[];
  /** The query's parameters in order, decoded as a form does (`+` is a space). */
  readonly query: readonly (readonly [name: string, value: string])[];
}

const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
const ENCODED_NUL = /%00/;
/** Seen in the field: HTTP/1.0 clients and proxies that send the whole URL. */
const ORIGIN = /^https?:\/\/[^/?]*/i;

/**
 * Takes a request target apart.
 *
 * @param text as it came over the wire, so still percent-encoded
 * @returns the target, or `undefined` where it cannot be understood: it is no path, has a broken
 *   percent escape, a NUL, or path bytes that are not UTF-8 (assumed: the contract does not say
 *   what the service does with these)
 */
export function parseTarget(target: string): Target | undefined {
  const isEncoded = target.includes('%');
  if (isEncoded && (BROKEN_ESCAPE.test(target) || ENCODED_NUL.test(target))) return undefined;
  const local = target.startsWith('/') ? target : target.replace(ORIGIN, '');
  const mark = local.indexOf('?');
  const path = mark === -1 ? local : local.slice(0, mark);
  if (!path.startsWith('/') && local === target) return undefined;
  const segments = path.slice(1).split('/');
  const query = mark === -1 ? [] : parseQuery(local.slice(mark + 1));
  if (!isEncoded) return { segments, query };
  try {
    return { segments: segments.map(decodeURIComponent), query };
  } catch {
    return undefined;
  }
}

function parseQuery(text: string): [name: string, value: string][] {
  if (/[%+]/.test(text)) return [...new URLSearchParams(text)];
  // As that does where nothing is encoded, in a fraction of the time.
  const query: [string, string][] = [];
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    query.push(equals === -1 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]);
  }
  return query;
}
