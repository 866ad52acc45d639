import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { emptyFolder } from '../spawned-command.ts';

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
  const path = join(await emptyFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  return openSync(path, constants.O_RDWR);
}

describe.each([
  ['a pipe', pipe],
  ['a socket', () => 'pipe' as const],
  ['a full disk', () => openSync('/dev/full', 'w')],
])('where standard output is %s that takes nothing', (_output, make) => {
  test.each([
    ['by itself after close', 'await mock.close(); process.exitCode = 4;'],
    ['by process.exit', 'process.exit(4);'],
  ])('a process with a mock ends %s', async (_how, end) => {
    const stdout = await make();
    const args = ['--input-type=module', '-e', HOST + end];
    const stdio = ['ignore', stdout, 'inherit'] as const;
    const child = spawn(process.execPath, args, { cwd: await emptyFolder(), stdio: [...stdio] });
    onTestFinished(() => void child.kill('SIGKILL'));
    if (typeof stdout === 'number') closeSync(stdout);
    expect(await once(child, 'exit')).toEqual([4, null]);
  });
});
