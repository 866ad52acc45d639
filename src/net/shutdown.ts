import { Server } from 'node:net';
import { clearTimeout, setTimeout } from '../timers.ts';
import type { Connections } from './connections.ts';

/**
 * Graceful shutdown of a listener: no new connections, idle ones are closed, running requests
 * finish; what is still open at the deadline is closed.
 *
 * @param deadline in ms
 */
export async function shutDown(
  servers: readonly Server[],
  connections: Connections,
  deadline: number,
): Promise<void> {
  const closed = servers.map((server) => stopListening(server));
  connections.drain();
  const timer = setTimeout(() => connections.destroy(), deadline);
  await Promise.all([...closed, connections.closed()]);
  clearTimeout(timer);
  // Nothing is open any more; this ends what else the server has, such as its timers.
  for (const server of servers) server.close();
}

/**
 * Closes a server as TCP servers close. An HTTP server's own `close()` also cuts the connections
 * that it thinks idle, among them those that are still being sent the end of an answer.
 */
function stopListening(server: Server): Promise<void> {
  return new Promise((done) => {
    Server.prototype.close.call(server, () => done());
  });
}
