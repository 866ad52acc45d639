import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder } from '../support/command.ts';

const CLI = join(process.cwd(), 'dist/cli.cjs');

/** Makes more log than standard error holds, says what the mock says of itself, and ends with 3. */
const COMMAND = `
  const path = '/' + ('a'.repeat(24) + '/').repeat(280);
  const { MOMO_MOCK_URL: url, MOMO_MOCK_CONTROL_URL: control } = process.env;
  await Promise.all(Array.from({ length: 200 }, () => fetch(url + path).then((reply) => reply.text())));
  console.log(await (await fetch(control + '/health')).text());
  process.exit(3);`;

// Other outputs than a socket are written to as those of `serve` are: test/e2e/output.test.ts.
test('run serves and ends as its command does where standard error is a socket that nobody reads', async () => {
  const flags = ['--log-level', 'info', '--shutdown-timeout', '300'];
  const command = [process.execPath, '--input-type=module', '-e', COMMAND];
  const child = spawn(process.execPath, [CLI, 'run', ...flags, '--', ...command], {
    cwd: await emptyFolder(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const health = await json(child.stdout);
  expect(health).toMatchObject({ ready: true, logDropped: expect.any(Number) });
  expect((health as { logDropped: number }).logDropped).toBeGreaterThan(0);
  expect(await exited).toEqual([3, null]);
  // Nothing is left that writes to it.
  child.stderr.resume();
  await once(child.stderr, 'close');
});
