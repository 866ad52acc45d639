import { type AddressInfo, BlockList, isIPv6, type Server } from 'node:net';
import { interfaceAddresses } from './host.ts';

const ANY = ['0.0.0.0', '::'];

/** The servers of all mocks in this process. */
const listening = new Set<Server>();

export function addListening(server: Server): void {
  listening.add(server);
  server.once('close', () => listening.delete(server));
}

/** Whether a connection to an address would reach a mock of this process. */
export function isOwnAddress(address: string, port: number): boolean {
  // A connection to "any address" goes to this machine.
  const [reached = address] = ANY.includes(address) ? [isIPv6(address) ? '::1' : '127.0.0.1'] : [];
  const servers = Array.from(listening, (server) => server.address() as AddressInfo | null);
  return servers.some(
    (own) => own?.port === port && reachedAt(own.address).check(reached, familyOf(reached)),
  );
}

/** The addresses at which clients reach a server. A list also knows IPv4 in the form of IPv6. */
function reachedAt(listened: string): BlockList {
  const list = new BlockList();
  const addresses = ANY.includes(listened) ? interfaceAddresses() : [listened];
  for (const address of addresses) list.addAddress(address, familyOf(address));
  if (ANY.includes(listened)) list.addSubnet('127.0.0.0', 8, 'ipv4');
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
