import { once } from 'node:events';
import {
  type AddressInfo,
  BlockList,
  createServer,
  isIPv6,
  type Server,
  type Socket,
} from 'node:net';
import { MomoMockError, tooManyFiles } from '../errors.ts';
import { interfaceAddresses } from './host.ts';

export interface ListenOptions {
  readonly server: Server;
  /** A host name or an address. `localhost` means both loopback addresses. */
  readonly host: string;
  /** 0 chooses a free port, the same one on each address. */
  readonly port: number;
  /** The names of the settings for error messages, such as `MOMO_MOCK_PORT`. */
  readonly setting: { readonly host: string; readonly port: string };
}

/** The maximum number of free ports to try, if a port is free on only one loopback address. */
const FREE_PORT_TRIES = 20;
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT']);

const ANY = ['0.0.0.0', '::'];

/** The servers of all mocks in this process. */
const listening = new Set<Server>();

/**
 * Listens on a host and port. If the machine lacks one of the two loopback addresses, the other one
 * is used. If it lacks IPv6, `::` means `0.0.0.0`.
 *
 * @returns the port, and the main server with the forwarder for the other loopback address
 */
export async function listen(options: ListenOptions) {
  const { server, host } = options;
  const addresses = host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
  for (let tries = 1; ; tries++) {
    const servers: Server[] = [];
    let port = options.port;
    try {
      for (const address of addresses) {
        const next = servers.length === 0 ? server : forwarderTo(server);
        if (!(await listensOn(next, address, port))) continue;
        servers.push(next);
        listening.add(next);
        next.once('close', () => listening.delete(next));
        port = (next.address() as AddressInfo).port;
      }
      if (servers.length === 0) throw { code: 'EADDRNOTAVAIL' };
      return { servers, port };
    } catch (error) {
      await Promise.all(servers.map((started) => new Promise((closed) => started.close(closed))));
      const { code } = error as NodeJS.ErrnoException;
      const another = options.port === 0 && code === 'EADDRINUSE' && tries < FREE_PORT_TRIES;
      if (!another) throw listenError(error, options);
    }
  }
}

/** Listens on another address, and passes its connections to the main server. */
function forwarderTo(main: Server): Server {
  const pass = (socket: Socket): void => void main.emit('connection', socket);
  const forwarder = createServer({ allowHalfOpen: true, noDelay: true }, pass);
  forwarder.on('error', (error) => forwarder.listening && main.emit('error', error));
  return forwarder;
}

/** @returns `false` if the machine has no such address */
async function listensOn(server: Server, address: string, port: number): Promise<boolean> {
  try {
    server.listen({ host: address, port });
    await once(server, 'listening');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !NO_SUCH_ADDRESS.has(code)) throw error;
    return address === '::' && (await listensOn(server, '0.0.0.0', port));
  }
}

function listenError(error: unknown, { host, port, setting }: ListenOptions): MomoMockError {
  const { code } = error as NodeJS.ErrnoException;
  const failed = `Failed to listen on ${host} port ${port}`;
  const cause = { cause: error };
  if (code === 'EADDRINUSE') {
    const text = `${failed}: another program listens there. Stop it, or set ${setting.port} to another port (0 chooses a free one).`;
    return new MomoMockError('MOMO_MOCK_PORT_IN_USE', text, cause);
  }
  const why: Record<string, string> = {
    EACCES: `this user may not use the port. Set ${setting.port} to 1024 or higher.`,
    EADDRNOTAVAIL: `this machine has no such address. Set ${setting.host} to one of its addresses.`,
    ENOTFOUND: `the host name has no address. Set ${setting.host} to localhost or an address.`,
  };
  const text = `${failed}: ${why[code ?? ''] ?? tooManyFiles(code)?.join('. ') ?? `${code ?? error}. Check ${setting.host} and ${setting.port}.`}`;
  return new MomoMockError('MOMO_MOCK_LISTEN_FAILED', text, cause);
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
