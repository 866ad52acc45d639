import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to connections: from 32768 on Linux, from 49152 elsewhere. */
const FIRST = 15_000;
const PORTS = 15_000;

const given = new Set<number>();

/** A port that nothing uses, and that this process has not returned before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * PORTS);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer();
    try {
      await once(server.listen(port), 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
