import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { MomoMockError, tooManyFiles } from '../errors.ts';

/** What to listen on. */
export interface Binding<Listener extends Server> {
  /** A host name or an address; `localhost` is both loopback addresses. */
  readonly host: string;
  /** 0 is any free port, the same one on each address. */
  readonly port: number;
  /** The settings to name when it cannot be done, such as `MOMO_MOCK_PORT`. */
  readonly setting: { readonly host: string; readonly port: string };
  /** Makes the server that all connections come to. */
  readonly create: () => Listener;
}

/** What listens, all on one port. */
export interface Bound<Listener extends Server> {
  readonly server: Listener;
  /** The server, and what listens on another address for it. */
  readonly servers: readonly Server[];
  readonly port: number;
}

/** How often another free port is tried where the first is free on one loopback address only. */
const FREE_PORT_TRIES = 20;
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT']);

/**
 * Listens on a host and port.
 *
 * A machine may lack one of the two loopback addresses, or IPv6 at all (then `::` means
 * `0.0.0.0`): what is there is listened on.
 *
 * @throws MomoMockError `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`
 */
export async function bind<Listener extends Server>(
  binding: Binding<Listener>,
): Promise<Bound<Listener>> {
  const addresses = binding.host === 'localhost' ? ['127.0.0.1', '::1'] : [binding.host];
  for (let tries = 1; ; tries++) {
    const servers: Server[] = [];
    let port = binding.port;
    try {
      let main: Listener | undefined;
      for (const address of addresses) {
        const create = () => (main === undefined ? binding.create() : entranceTo(main));
        const server = await listenWhereThereIs(address, port, create);
        if (server === undefined) continue;
        main ??= server as Listener;
        servers.push(server);
        port = (server.address() as AddressInfo).port;
      }
      if (main === undefined) throw { code: 'EADDRNOTAVAIL' };
      return { server: main, servers, port };
    } catch (error) {
      for (const server of servers) server.close();
      const { code } = error as NodeJS.ErrnoException;
      const another = binding.port === 0 && code === 'EADDRINUSE' && tries < FREE_PORT_TRIES;
      if (!another) throw explain(error, binding);
    }
  }
}

/**
 * Listens for another server: its connections come to that one. An address of its own does not
 * need TLS of its own, which is the dearest part of a start.
 */
function entranceTo(main: Server): Server {
  const pass = (socket: Socket): void => void main.emit('connection', socket);
  const entrance = createServer({ allowHalfOpen: true, noDelay: true }, pass);
  entrance.on('error', (error) => entrance.listening && main.emit('error', error));
  return entrance;
}

async function listenWhereThereIs(
  address: string,
  port: number,
  create: () => Server,
): Promise<Server | undefined> {
  try {
    return await listen(create(), address, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !NO_SUCH_ADDRESS.has(code)) throw error;
    return address === '::' ? await listen(create(), '0.0.0.0', port) : undefined;
  }
}

async function listen(server: Server, host: string, port: number): Promise<Server> {
  server.listen({ host, port });
  await once(server, 'listening');
  return server;
}

function explain(error: unknown, { host, port, setting }: Binding<Server>): MomoMockError {
  const { code } = error as NodeJS.ErrnoException;
  const failed = `Failed to listen on ${host} port ${port}`;
  const cause = { cause: error };
  if (code === 'EADDRINUSE') {
    const text = `${failed}: another program listens there. Stop it, or set ${setting.port} to another port (0 takes any free one).`;
    return new MomoMockError('MOMO_MOCK_PORT_IN_USE', text, cause);
  }
  const why: Record<string, string> = {
    EACCES: `this user may not use the port. Set ${setting.port} to one from 1024 on.`,
    EADDRNOTAVAIL: `this machine has no such address. Set ${setting.host} to one that it has.`,
    ENOTFOUND: `no address is known for this host. Set ${setting.host} to localhost or an address.`,
  };
  const text = `${failed}: ${why[code ?? ''] ?? tooManyFiles(code)?.join('. ') ?? `${code ?? error}. Look at ${setting.host} and ${setting.port}.`}`;
  return new MomoMockError('MOMO_MOCK_LISTEN_FAILED', text, cause);
}
