/** The host by which clients reach a listener: an address that stands for all is localhost. */
export function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? 'localhost' : host;
}

/** That host as it stands in a URL. */
export function urlHost(host: string): string {
  const reachable = reachableHost(host);
  return reachable.includes(':') ? `[${reachable}]` : reachable;
}
