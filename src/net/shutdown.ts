import { Server } from 'node:net';
import { clearTimeout, setTimeout } from '../timers.ts';
import type { Connections } from './connections.ts';

/**
 * Shuts a listener down gracefully: it accepts no new connections, closes idle ones, and lets
 * running requests finish. After `deadline` ms, it closes the connections that are still open.
 */
export async function shutDown(
  servers: readonly Server[],
  connections: Connections,
  deadline: number,
): Promise<void> {
  // The `close()` of HTTP servers, unlike the one of TCP servers, also closes connections that it
  // considers idle, although the end of a response may still be on its way.
  const stop = Server.prototype.close;
  const closed = servers.map((server) => new Promise((done) => stop.call(server, done)));
  connections.drain();
  const timer = setTimeout(() => connections.destroy(), deadline);
  await Promise.all([...closed, connections.closed()]);
  clearTimeout(timer);
  // All connections are closed. This ends the server's timers.
  for (const server of servers) server.close();
}
