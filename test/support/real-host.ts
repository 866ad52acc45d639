import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** An address of loopback that `--redirect` takes for another machine. */
export const REAL_ADDRESS = '127.0.0.9';

/** Stands in for the real host: counts its connections, and ends them. */
export interface RealHost {
  readonly port: string;
  readonly connections: () => number;
}

/** Starts a real host, which is closed when the test is over. */
export async function startRealHost(address: string): Promise<RealHost> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.on('error', () => {}).destroy();
  });
  await once(server.listen(0, address), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port: `${port}`, connections: () => count };
}
