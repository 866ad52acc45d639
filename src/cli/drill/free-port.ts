import { once } from 'node:events';
import { createServer } from 'node:net';
import { tooManyFiles } from '../../errors.ts';

/** Below the ports that systems give to connections: from 32768 on Linux, from 49152 elsewhere. */
const FIRST = 15_000;
const PORTS = 15_000;

const given = new Set<number>();

/**
 * A port that nothing uses, and that this process has not returned before.
 *
 * @throws Error with the end of a sentence if there is none, or if this process may not listen
 */
export async function freePort(): Promise<number> {
  const start = Math.floor(Math.random() * PORTS);
  for (let step = 0; step < PORTS; step++) {
    const port = FIRST + ((start + step) % PORTS);
    if (given.has(port)) continue;
    // Before it is tried, because several searches run at once.
    given.add(port);
    if (await canListen(port)) return port;
    given.delete(port);
  }
  const range = `${FIRST} to ${FIRST + PORTS - 1}`;
  throw new Error(`all ports from ${range} are in use. End the programs that use them.`);
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port), 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Some systems reserve ports.
    if (code === 'EADDRINUSE' || code === 'EACCES') return false;
    const [reason, fix] = tooManyFiles(code) ?? [
      `this process cannot listen (${code})`,
      'Run the drill where programs may open ports.',
    ];
    throw new Error(`${reason}. ${fix}`);
  }
  server.close();
  await once(server, 'close');
  return true;
}
