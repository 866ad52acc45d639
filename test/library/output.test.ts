import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/fixture-folder.ts';

const LIBRARY = new URL('../../dist/index.js', import.meta.url);

/** A process that logs more than its standard output holds. */
const HOST = `
  import { get } from 'node:https';
  import { once } from 'node:events';
  import { startMomoMock } from '${LIBRARY}';
  const mock = await startMomoMock({ logLevel: 'info', shutdownTimeout: 300 });
  const path = '/' + ('a'.repeat(24) + '/').repeat(280);
  for (let asked = 0; asked < 120; asked++) {
    const [reply] = await once(get(mock.url + path, { agent: mock.agent }), 'response');
    await once(reply.resume(), 'end');
  }
`;

async function pipe(): Promise<number> {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  return openSync(path, constants.O_RDWR);
}

const CLOSE = 'await mock.close(); process.exitCode = 4;';
const EXIT = 'process.exit(4);';
const socket = () => 'pipe' as const;

// The main thread writes to a pipe, another one to a socket.
test.each<{ end: string; output: string; make: () => Promise<number> | 'pipe' }>([
  { end: CLOSE, output: 'a socket', make: socket },
  { end: EXIT, output: 'a socket', make: socket },
  { end: EXIT, output: 'a pipe', make: pipe },
])(
  'a process with a mock ends by $end if its standard output is $output that nobody reads',
  async ({ end, make }) => {
    const stdout = await make();
    const args = ['--input-type=module', '-e', HOST + end];
    const stdio = ['ignore', stdout, 'inherit'] as const;
    const child = spawn(process.execPath, args, { cwd: temporaryFolder(), stdio: [...stdio] });
    onTestFinished(() => void child.kill('SIGKILL'));
    if (typeof stdout === 'number') closeSync(stdout);
    expect(await once(child, 'exit')).toEqual([4, null]);
  },
);
