import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { CLI } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

/** Makes more log than standard error holds, says that the mock is ready, and ends with 3. */
const COMMAND = `
  const path = '/' + ('a'.repeat(24) + '/').repeat(280);
  const { MOMO_MOCK_URL: url, MOMO_MOCK_CONTROL_URL: control } = process.env;
  await Promise.all(Array.from({ length: 200 }, () => fetch(url + path).then((reply) => reply.text())));
  // This makes the socket of standard error non-blocking, for all that write to it.
  console.log(await (await fetch(control + '/health')).text());
  for await (const _ of process.stdin);
  process.exit(3);`;

/** Runs it with a socket for standard error, as Node gives it, that nobody reads so far. */
async function fillLog(flags: readonly string[]) {
  const command = [process.execPath, '--input-type=module', '-e', COMMAND];
  const args = [CLI, 'run', '--log-level', 'info', ...flags, '--', ...command];
  const child = spawn(process.execPath, args, { cwd: temporaryFolder() });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const closed = once(child, 'close');
  const [line] = await once(createInterface(child.stdout), 'line');
  const health = JSON.parse(line);
  expect(health).toMatchObject({ ready: true });
  return { child, exited, closed };
}

// Other outputs than a socket are written to as those of `serve` are: test/cli/output.test.ts.
it('run serves, and ends at its deadline, if standard error is a socket that nobody reads', async () => {
  const { child, exited, closed } = await fillLog(['--shutdown-timeout', '300']);
  child.stdin.end();
  // No thread of Node that still writes lets it exit by itself.
  expect([
    [3, null],
    [null, 'SIGTERM'],
  ]).toContainEqual(await exited);
  // Nothing is left that writes to it.
  child.stderr.resume();
  await closed;
});

it('run writes waiting lines once the socket is read, and says that it dropped lines and how it ended', async () => {
  const { child, exited, closed } = await fillLog([]);
  const lines: string[] = [];
  createInterface(child.stderr).on('line', (line) => lines.push(line));
  await expect.poll(() => lines.join()).toContain('Failed to write some log lines');
  child.stdin.end();
  expect(await exited).toEqual([3, null]);
  await closed;
  // Lines may be dropped again meanwhile, and the log says so when it is read again.
  expect(lines).toContain('momo-mock: 200 requests: 200 × 401 key-missing');
});
