import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { ControlError } from './control-error.ts';
import type { ControlOptions } from './route.ts';

const HOST_REFUSED = new ControlError(
  'MOMO_MOCK_HOST_REFUSED',
  'Access denied: the host name in the Host header is not allowed. Use localhost or an IP address, or add the name to MOMO_MOCK_TLS_HOSTS.',
  // Like Node, which also closes the connection if the header is missing.
  { connection: 'close' },
);
const ORIGIN_REFUSED = new ControlError(
  'MOMO_MOCK_ORIGIN_REFUSED',
  'Access denied: a web page from another origin cannot use the control API. Call it from a test.',
);
const TOKEN_REFUSED = new ControlError(
  'MOMO_MOCK_TOKEN',
  'Access denied: the token is missing or wrong. Send the header authorization: Bearer with the value of MOMO_MOCK_CONTROL_TOKEN.',
  { 'www-authenticate': 'Bearer' },
);

export function createAccessCheck({ hosts, token }: ControlOptions) {
  const hasToken = createTokenCheck(token);
  return (headers: IncomingHttpHeaders, needsToken = true): ControlError | undefined => {
    if (!isExpectedHost(headers.host, hosts)) return HOST_REFUSED;
    if (isForeignPage(headers)) return ORIGIN_REFUSED;
    return !needsToken || hasToken(headers.authorization) ? undefined : TOKEN_REFUSED;
  };
}

export function createTokenCheck(token?: string): (header: string | undefined) => boolean {
  if (token === undefined) return () => true;
  // Digests have the equal lengths that timingSafeEqual requires.
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  const expected = digest(Buffer.from(token));
  return (header = '') => {
    const given = /^bearer +(.+)$/i.exec(header)?.[1];
    // Node reads headers as latin1, but the token may be UTF-8.
    return given !== undefined && timingSafeEqual(digest(Buffer.from(given, 'latin1')), expected);
  };
}

/**
 * Whether a `Host` header is loopback, an IP address, a name without a dot (a container), or a
 * configured name. A web page whose domain points to this machine (DNS rebinding) sends its domain.
 */
function isExpectedHost(header: string | undefined, configured: readonly string[]): boolean {
  if (header === undefined) return false;
  const host = header.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  const address = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIP(address) !== 0) return true;
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host)) return false;
  return !host.includes('.') || host.endsWith('.localhost') || configured.includes(host);
}

/**
 * Browsers send `Origin` with every write and cross-origin read, and `Sec-Fetch-Site` with other
 * requests. Other clients send neither.
 */
function isForeignPage(headers: IncomingHttpHeaders): boolean {
  const { host = '', origin } = headers;
  if (headers['sec-fetch-site'] === 'cross-site') return true;
  if (origin === undefined) return false;
  const url = `http://${host}`;
  return !URL.canParse(url) || origin.toLowerCase() !== new URL(url).origin;
}
