import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import {
  clientOf,
  type Ended,
  FREE_PORTS,
  type Spawned,
  signalUntilEnded,
  spawnCommand,
  spawnWaitingForKeys,
  usedFolder,
} from '../support/command.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { readDocument, rowsBelow } from './documents.ts';

const DOCUMENT = readDocument('docs/command-line.md');

/** What the page says of each signal: to `serve`, and to `run`. */
const ROWS = new Map(
  rowsBelow(DOCUMENT, 'Signals').map(([signal, , serve, run]) => [signal, { serve, run }]),
);

/** What a shell makes of how a process ended. */
const shellCode = ({ code, signal }: Ended) => code ?? 128 + constants.signals[signal ?? 'SIGKILL'];

/** Starts `run` with a command that ends with exit code 7 on all signals that it can catch. */
async function startRun(): Promise<Spawned & { pid: number; folder: string }> {
  const script = `for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])
      process.on(signal, () => process.exit(7));
    setInterval(() => {}, 1000); console.log(process.pid)`;
  const folder = temporaryFolder();
  const args = ['run', '--', process.execPath, '-e', script];
  const spawned = await spawnCommand(args, { env: { TMPDIR: folder } });
  const [pid] = await once(spawned.child.stdout, 'data');
  return { ...spawned, pid: Number(pid), folder };
}

it.each<{ signal: NodeJS.Signals; code: number; says: string }>([
  { signal: 'SIGINT', code: 0, says: 'stops: 0' },
  { signal: 'SIGTERM', code: 0, says: 'stops: 0' },
  { signal: 'SIGHUP', code: 0, says: 'stops: 0' },
  { signal: 'SIGQUIT', code: 131, says: 'ends immediately: 131' },
  { signal: 'SIGKILL', code: 137, says: 'ends immediately: 137' },
])('$signal ends serve with exit code $code, as the page says', async ({ signal, code, says }) => {
  const { child, ready, ended } = await spawnCommand(FREE_PORTS);
  await ready;
  child.kill(signal);
  expect(shellCode(await ended)).toBe(code);
  expect(ROWS.get(signal)?.serve).toBe(says);
});

it.each(['SIGKILL', 'SIGQUIT'] as const)(
  '%s ends serve during an endless loop in a handler, and no other signal does',
  async (deadly) => {
    const cwd = usedFolder();
    const code = `import { writeSync } from 'node:fs';
      export default () => { for (let n = 0; ; n++) if (n % 1e8 === 0) writeSync(2, 'round\\n'); };`;
    writeFiles(cwd, { 'fixtures/momo/loop.get.js': code });
    const { child, ready, ended, output } = await spawnCommand(FREE_PORTS, { cwd });
    const asked = ask(await clientOf(ready), '/momo/loop').catch(() => 'cut');
    const rounds = () => output().split('round').length;
    await expect.poll(rounds).toBeGreaterThan(1);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) child.kill(signal);
    const before = rounds();
    await expect.poll(rounds).toBeGreaterThan(before + 1);
    child.kill(deadly);
    expect(await ended).toMatchObject({ code: null, signal: deadly });
    expect(await asked).toBe('cut');
  },
);

it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
  'run forwards %s to its command, as the page says',
  async (signal) => {
    const { child, ended, folder } = await startRun();
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 7 });
    expect(readdirSync(folder)).toEqual([]);
    expect(ROWS.get(signal)?.run).toBe('passes it on');
  },
);

it('SIGKILL ends run with exit code 137, the command continues, and the folder is left', async () => {
  const { child, pid, folder } = await startRun();
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
  // It throws where there is no such process.
  process.kill(pid, 'SIGKILL');
  expect(readdirSync(folder)).toHaveLength(1);
  expect(ROWS.get('SIGKILL')?.run).toBe(
    "ends immediately: 137; the command keeps running, and the run's folder stays",
  );
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  'a second %s ends serve with exit code %i, even during startup',
  async (signal, code) => {
    const { child, ended } = await spawnWaitingForKeys((flags) => [...FREE_PORTS, ...flags]);
    signalUntilEnded(child, signal);
    expect(shellCode(await ended)).toBe(code);
  },
);
