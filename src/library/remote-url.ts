/** The slashes that a URL or path ends with; begun at the first of them, so in linear time. */
export const END_SLASHES = /(?<!\/)\/+$/;

/**
 * The base URL by which the service is reached from here. A mock says `localhost` of itself;
 * seen from another machine or container, that is the host of its control API.
 *
 * @param said as the mock says it
 * @param control the control API, as it is reached from here
 */
export function serviceUrl(said: string, control: URL): string {
  const url = new URL(said);
  if (isLoopback(url.hostname) && !isLoopback(control.hostname)) url.hostname = control.hostname;
  return url.origin;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
