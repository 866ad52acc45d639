/** How often at least it is looked for connections that are too slow, in ms. */
const LOOK = 1000;

/**
 * Node's limits for a client that is slow to send a request.
 *
 * @param headers how long its headers may take, in ms
 * @param whole how long all of it may take, in ms
 */
export function requestLimits(headers: number, whole = headers) {
  return {
    headersTimeout: headers,
    requestTimeout: whole,
    connectionsCheckingInterval: Math.min(LOOK, headers),
  };
}
