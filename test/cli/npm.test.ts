import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { CLI, usedFolder } from '../support/command.ts';
import { writeFiles } from '../support/fixture-folder.ts';

const FLAGS = '--port 0 --control-port 0';

/** A project that has momo-mock installed, with scripts that start it. */
async function project(): Promise<string> {
  const folder = usedFolder();
  const bin = join(folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(CLI, join(bin, 'momo-mock'));
  chmodSync(CLI, 0o755);
  const scripts = { start: `momo-mock ${FLAGS}`, mock: `momo-mock ${FLAGS}` };
  writeFiles(folder, { 'package.json': { name: 'shop', scripts } });
  return folder;
}

/** Starts a command, and gives what it writes until so many mocks are ready. */
async function start(words: string[], mocks: number, env = process.env) {
  const [command = '', ...args] = words;
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(command, args, { cwd: await project(), env, stdio: [...stdio] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const records = () => lines.filter((line) => line.startsWith('{'));
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
    lines.push(line);
    if (records().length === mocks) break;
  }
  const urls = records().map((line): string => JSON.parse(line).controlUrl);
  return { child, lines, urls };
}

/** How many of the mocks are there. */
async function present(urls: readonly string[]): Promise<number> {
  const asked = urls.map((url) => fetch(`${url}/health`).catch(() => undefined));
  return (await Promise.all(asked)).filter((response) => response?.ok).length;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

it.each([
  ['npm start', ['npm', 'start']],
  ['npm run', ['npm', 'run', 'mock']],
  ['npx', ['npx', 'momo-mock', ...FLAGS.split(' ')]],
  ['npm exec', ['npm', 'exec', '--', 'momo-mock', ...FLAGS.split(' ')]],
])('SIGTERM to npm ends a mock that %s has started', async (_what, words) => {
  const { child, urls } = await start(words, 1);
  expect(await present(urls)).toBe(1);
  await end(child);
  await expect.poll(() => present(urls)).toBe(0);
});

it('a mock outlives the shell that started it, unless npm started that shell', async () => {
  const line = `'${process.execPath}' '${CLI}' ${FLAGS}`;
  const script = `${line} & echo "pid $!"; npm_command=start ${line} & wait`;
  const env = { PATH: process.env.PATH };
  const { child, lines, urls } = await start(['sh', '-c', script], 2, env);
  const pid = Number(lines.find((text) => text.startsWith('pid '))?.slice(4));
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  await end(child);
  await expect.poll(() => present(urls)).toBe(1);
  expect(process.kill(pid, 0)).toBe(true);
});
