import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { SHARED_FOLDER } from './shared-folder.ts';

/** Below the ports that systems give to those who ask for any: 32768 on Linux, 49152 elsewhere. */
const FIRST = 15_000;
const PORTS = 15_000;

/**
 * A port that stays free: no other test of the run gets it, and no program that asks the system for
 * any port. For what has to know its port before it listens, or leaves it and comes back.
 */
export async function freePort(): Promise<number> {
  const start = Math.floor(Math.random() * PORTS);
  for (let tries = 0; tries < PORTS; tries++) {
    const port = FIRST + ((start + tries) % PORTS);
    if (claims(port) && (await canListen(port))) return port;
  }
  throw new Error('There is no free port.');
}

/** Whether no other test has the port. A claim lasts as long as the run. */
function claims(port: number): boolean {
  const claims = join(SHARED_FOLDER, 'ports');
  mkdirSync(claims, { recursive: true });
  try {
    mkdirSync(join(claims, `${port}`));
    return true;
  } catch {
    return false;
  }
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
