import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { usedFolder } from '../support/command.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
const FLAGS = '--port 0 --control-port 0';

/** A project that has momo-mock installed, with a script that starts it. */
async function project(): Promise<string> {
  const folder = await usedFolder();
  const bin = join(folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(CLI, join(bin, 'momo-mock'));
  chmodSync(CLI, 0o755);
  const scripts = { start: `momo-mock ${FLAGS}`, mock: `momo-mock ${FLAGS}` };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'shop', scripts }));
  return folder;
}

/** Starts a command, and gives it with the URLs of the mocks that it starts. */
async function start(command: string, args: string[], cwd: string, mocks = 1) {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const urls: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('{')) urls.push(JSON.parse(line).controlUrl);
    if (urls.length === mocks) break;
  }
  return { child, urls };
}

const isThere = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

describe('SIGTERM to npm', () => {
  it.each([
    ['npm start', 'npm', ['start']],
    ['npm run', 'npm', ['run', 'mock']],
    ['npx', 'npx', ['momo-mock', ...FLAGS.split(' ')]],
    ['npm exec', 'npm', ['exec', '--', 'momo-mock', ...FLAGS.split(' ')]],
  ])('ends the mock that %s has started', async (_what, command, args) => {
    const { child, urls } = await start(command, args, await project());
    const [url = ''] = urls;
    expect(await isThere(url)).toBe(true);
    await end(child);
    await expect.poll(() => isThere(url)).toBe(false);
  });
});

it('a mock outlives the shell that started it, but for one of npm', async () => {
  const cwd = await project();
  const line = `'${process.execPath}' '${CLI}' ${FLAGS}`;
  const script = `${line} & echo "pid $!"; npm_command=start ${line} & wait`;
  const shell = spawn('sh', ['-c', script], {
    cwd,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const urls: string[] = [];
  let pid = 0;
  for await (const text of createInterface(shell.stdout)) {
    if (text.startsWith('pid ')) pid = Number(text.slice(4));
    if (text.startsWith('{')) urls.push(JSON.parse(text).controlUrl);
    if (urls.length === 2) break;
  }
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  await end(shell);
  const present = async () => (await Promise.all(urls.map(isThere))).filter(Boolean).length;
  await expect.poll(present).toBe(1);
  expect(process.kill(pid, 0)).toBe(true);
});
