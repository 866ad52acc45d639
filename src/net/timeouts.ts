/**
 * How long an idle connection stays open, in ms. It is longer than in clients, so that clients
 * close the connection first.
 */
export const KEEP_ALIVE = 75_000;
/** The maximum interval between two checks for slow requests, in ms. */
const CHECK_INTERVAL = 1000;

/**
 * Node's timeouts for clients that send requests slowly or leave connections idle.
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
