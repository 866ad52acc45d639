import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Where to listen for a host. A name that leads to no address, or to another machine, as that of
 * the service that is mocked does, is `localhost`; an address, and a name that leads here, is
 * itself.
 */
export async function hostHere(host: string): Promise<string> {
  if (host === 'localhost' || isIP(host) !== 0) return host;
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(host).catch(() => undefined);
  return found !== undefined && isOwn(found.address) ? host : 'localhost';
}

function isOwn(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return address.startsWith('127.') || own.some((entry) => entry.address === address);
}
