import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Decides which host to listen on.
 *
 * @param host a name or an address
 * @returns the host itself where it is an address or a name that leads to this machine. A name that
 *   leads nowhere or to another machine, such as that of the service that is mocked, is `localhost`
 */
export async function listenableHost(host: string): Promise<string> {
  if (host === 'localhost' || isIP(host) !== 0) return host;
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(host).catch(() => undefined);
  return found !== undefined && isOwnAddress(found.address) ? host : 'localhost';
}

/** The host by which clients reach a listener: an address that stands for all is localhost. */
export function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? 'localhost' : host;
}

/** {@link reachableHost} as it stands in a URL: IPv6 in brackets. */
export function urlHost(host: string): string {
  const reachable = reachableHost(host);
  return reachable.includes(':') ? `[${reachable}]` : reachable;
}

function isOwnAddress(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return address.startsWith('127.') || own.some((entry) => entry.address === address);
}
