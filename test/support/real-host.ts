import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { onTestFinished, type TestContext } from 'vitest';

/** An address of loopback that `--redirect` takes for another machine. */
export const REAL_ADDRESS = '127.0.0.9';

/** Stands in for the real host. */
export interface RealHost {
  readonly host: string;
  /** A port of it that accepts connections. */
  readonly port: string;
  /** How many connections it got. */
  readonly connections: () => number;
}

/**
 * Starts a real host, which is closed when the test is over.
 *
 * @param service the port of this machine to which it passes its connections; without it, it closes them
 */
export async function startRealHost(
  { skip }: Pick<TestContext, 'skip'>,
  { host = REAL_ADDRESS, service }: { host?: string; service?: string } = {},
): Promise<RealHost> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    if (service === undefined) return socket.destroy();
    const inner = connect(Number(service), '127.0.0.1').on('error', () => {});
    return socket.pipe(inner).pipe(socket);
  });
  server.listen(0, host);
  const problem = await once(server, 'listening').then(
    () => undefined,
    (error: Error) => error.message,
  );
  skip(problem !== undefined, `this machine has one loopback address: ${problem}`);
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { host, port: `${port}`, connections: () => connections };
}
