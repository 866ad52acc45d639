import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** The origins whose pages may read responses: all, none, or the listed ones. */
export type CorsOrigin = '*' | 'off' | readonly string[];

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const NONE: OutgoingHttpHeaders = {};
const EVERYONE: OutgoingHttpHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
};

/**
 * Whether a request is a browser's preflight. It needs no key, so that a page can be a client.
 * Any other OPTIONS request is handled like every request. Assumed: the contract does not say whether
 * the service supports CORS.
 */
export function isPreflight(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

export function preflightHeaders(
  allowed: CorsOrigin,
  headers: IncomingHttpHeaders,
): OutgoingHttpHeaders {
  const cors = corsHeaders(allowed, headers);
  if (cors['access-control-allow-origin'] === undefined) return cors;
  return {
    ...cors,
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
  };
}

/**
 * The headers that allow a browser page to read the response. A listed origin may also send cookies
 * and client certificates. Then browsers read `*` as a name, so the headers are listed, too.
 *
 * @param names the headers of the response
 */
export function corsHeaders(
  allowed: CorsOrigin,
  { origin }: IncomingHttpHeaders,
  names: readonly string[] = [],
): OutgoingHttpHeaders {
  if (allowed === 'off') return NONE;
  if (allowed === '*') return EVERYONE;
  if (origin === undefined || !allowed.includes(origin)) return { vary: 'Origin' };
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    ...(names.length > 0 && { 'access-control-expose-headers': names.join(', ') }),
    vary: 'Origin',
  };
}
