import type { Server } from 'node:net';
import type { Connections } from './connections.ts';

/**
 * Graceful shutdown of a listener: no new connections, idle ones are closed, running answers
 * finish; what is still open at the deadline is cut.
 *
 * @param deadline in ms
 */
export async function shutDown(
  servers: readonly Server[],
  connections: Connections,
  deadline: number,
): Promise<void> {
  const closed = servers.map((server) => new Promise<void>((done) => server.close(() => done())));
  connections.drain();
  const timer = setTimeout(() => connections.destroy(), deadline);
  await Promise.all(closed);
  clearTimeout(timer);
}
