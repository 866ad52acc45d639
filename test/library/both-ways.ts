import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { connectMomoMock, type MomoMock, startMomoMock } from '../support/momo-mock.ts';
import { copyCertificate } from '../support/shared-folder.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));

/**
 * What lies over the shipped fixtures: a guard of the balance, one more operation, one that makes
 * the callback of its body, and one that shows a value of the state as it is.
 */
const TREE = {
  'momo/balance.get.schema.json': { type: 'object' },
  'momo/status/[reference].get.json': { success: true, status: 'PENDING' },
  'momo/notify.post.js': 'export default ({ body }, { callback }) => callback(body);',
  'momo/kept/[name].get.js':
    'export default async ({ params }, { state }) => ({ body: await state.get(params.name) });',
};

/** Gives a mock in the state of its start; it is closed when the test is over. */
export type Open = () => Promise<MomoMock>;

/**
 * Runs a suite twice, unchanged: against mocks in this process, and over HTTP against the built
 * command, which runs once for the suite.
 */
export function describeBothWays(suite: (open: Open) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'momo-library-'));
  const fixturesDir = join(folder, 'fixtures');
  let command: Command | undefined;
  beforeAll(() => {
    copyCertificate(folder);
    for (const [path, content] of Object.entries(TREE)) {
      mkdirSync(dirname(join(fixturesDir, path)), { recursive: true });
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      writeFileSync(join(fixturesDir, path), text);
    }
  });
  afterAll(async () => {
    await command?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ways: [name: string, Open][] = [
    ['in process', () => startMomoMock({ fixturesDir })],
    [
      'over HTTP',
      async () => {
        command ??= await startCommand(folder);
        const mock = await connectMomoMock(command.controlUrl);
        await mock.reset();
        return mock;
      },
    ],
  ];
  describe.each(ways)('%s', (_name, open) => {
    suite(async () => {
      const mock = await open();
      onTestFinished(() => mock.close());
      return mock;
    });
  });
}

/** The built command, running. */
export interface Command {
  readonly controlUrl: string;
  stop(): Promise<void>;
}

/** Starts the built command on free ports, in a folder that holds its fixtures. */
async function startCommand(cwd: string, env: Record<string, string> = {}): Promise<Command> {
  const child = spawn(process.execPath, [CLI, '--port', '0', '--control-port', '0'], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const [first] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the command exited with ${code}`);
    }),
  ]);
  return { controlUrl: JSON.parse(first).controlUrl, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  if (child.exitCode === null && child.kill('SIGTERM')) await exited;
}
