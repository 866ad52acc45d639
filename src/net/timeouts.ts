/**
 * How long an idle connection stays open, in ms. Longer than clients keep theirs, so that they close
 * first and not the server.
 */
export const KEEP_ALIVE = 75_000;
/** How often connections are checked for slow requests, at least, in ms. */
const CHECK_INTERVAL = 1000;

/**
 * Node's timeouts for a client that is slow to send a request or leaves its connection idle.
 *
 * @param headers how long the headers of a request may take, in ms
 * @param request how long the whole request may take, in ms
 */
export function serverTimeouts(headers: number, request = headers) {
  return {
    keepAliveTimeout: KEEP_ALIVE,
    headersTimeout: headers,
    requestTimeout: request,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL, headers),
  };
}
