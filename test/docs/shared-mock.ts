import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openShell, type Ready, type Shell } from './shell.ts';

/**
 * Starts a mock for all tests of a `describe`, which use it one after the other.
 *
 * @param line starts it
 * @returns a function that resets the mock, and puts its certificate into the folder of a shell
 */
export function shareMock(line: string): (shell: Shell) => Promise<Ready> {
  const ends: (() => void | Promise<void>)[] = [];
  let ready: Ready;
  beforeAll(async () => {
    ready = await openShell((end) => ends.unshift(end)).start(line);
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return async ({ folder }) => {
    await fetch(`${ready.controlUrl}/reset`, { method: 'POST' });
    mkdirSync(join(folder, 'certs'));
    copyFileSync(ready.certificate, join(folder, 'certs/momo-mock.pem'));
    return ready;
  };
}
