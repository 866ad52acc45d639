import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request can come from a web page of another place. Browsers send `Origin` with every
 * write and with every read across origins, and `Sec-Fetch-Site` with the rest; other clients send
 * neither.
 */
export function isForeignPage(headers: IncomingHttpHeaders): boolean {
  const { host = '', origin } = headers;
  if (headers['sec-fetch-site'] === 'cross-site') return true;
  return origin !== undefined && !isOwn(origin, host);
}

/** Whether an origin is this very listener, as it was addressed. `null` is no one's. */
function isOwn(origin: string, host: string): boolean {
  const own = `http://${host}`;
  return URL.canParse(own) && origin.toLowerCase() === new URL(own).origin;
}
