/** How long an idle connection stays open, in ms: longer than in clients, so that clients close first. */
export const KEEP_ALIVE = 75_000;
/** The maximum interval between two checks for slow requests, in ms. */
const CHECK_INTERVAL = 1000;

/** @param request how long the whole request may take, in ms */
export function serverTimeouts(headers: number, request = headers) {
  return {
    keepAliveTimeout: KEEP_ALIVE,
    headersTimeout: headers,
    requestTimeout: request,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL, headers),
  };
}
