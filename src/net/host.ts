import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The host itself if it is an address or a name of this machine; `localhost` for any other name. */
export async function listenableHost(host: string): Promise<string> {
  if (host === 'localhost' || isIP(host) !== 0) return host;
  const { lookup } = await import('node:dns/promises');
  const resolved = await lookup(host).catch(() => undefined);
  return resolved !== undefined && isOfThisMachine(resolved.address) ? host : 'localhost';
}

/** The host for clients: localhost if the server listens on all addresses. */
export function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? 'localhost' : host;
}

/** The {@link reachableHost}, with brackets around IPv6. */
export function urlHost(host: string): string {
  const reachable = reachableHost(host);
  return reachable.includes(':') ? `[${reachable}]` : reachable;
}

function isOfThisMachine(address: string): boolean {
  return address.startsWith('127.') || interfaceAddresses().includes(address);
}

export function interfaceAddresses(): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((entries = []) => entries);
  return interfaces.map(({ address }) => address);
}
