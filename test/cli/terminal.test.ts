import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { CLI, FREE_PORTS, usedFolder } from '../support/command.ts';
import { needs } from '../support/machine.ts';
import { sendOverTls } from '../support/raw-connection.ts';

const SHIPPED = readFileSync('fixtures/momo/balance.get.json', 'utf8').trimEnd();
const HEAD = 'HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

beforeEach((context) => needs(context, 'script'));

/** Starts a mock at a terminal of its own, and waits until it is up. */
async function startAtTerminal(env: Record<string, string> = { TERM: 'dumb' }) {
  const cwd = usedFolder();
  // With exec: a shell that waits would get the Ctrl-C too, and make its own exit code of it.
  const command = `exec '${process.execPath}' '${CLI}' ${FREE_PORTS.join(' ')}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, SHELL: '/bin/sh', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text;
  });
  await expect.poll(() => shown).toMatch(/curl [^\n]*\n/);
  const curl = /curl .*/.exec(shown)?.[0].trim() ?? '';
  const port = Number(/localhost:(\d+)/.exec(shown)?.[1]);
  const certificate = { cert: readFileSync(join(cwd, 'certs/momo-mock.pem'), 'utf8') };
  const send = (request: string) => sendOverTls({ port, certificate } as never, request);
  return { child, cwd, shown: () => shown, curl, send };
}

it('a terminal shows four lines, its curl line works, and Ctrl-C stops the mock', async (context) => {
  needs(context, 'curl');
  const { child, cwd, shown, curl } = await startAtTerminal();
  expect(shown().trim().split('\n')).toHaveLength(4);
  const { stdout } = await promisify(execFile)('sh', ['-c', curl], { cwd });
  expect(stdout).toBe(SHIPPED);
  await expect.poll(shown).toMatch(/\d\d GET \/momo\/balance account-1 200\r\n/);
  child.stdin.write('\x03');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it('a paused terminal, as after Ctrl-S, delays no request, and later says how many lines it dropped', async () => {
  const { child, shown, send } = await startAtTerminal();
  child.stdout.pause();
  const path = `/${`${'a'.repeat(24)}/`.repeat(280)}`;
  for (let asked = 0; asked < 120; asked++) {
    expect(await send(`GET ${path} ${HEAD}`)).toMatch(/^HTTP.1.1 401 /);
  }
  child.stdout.resume();
  await expect.poll(shown).toMatch(/! Failed to write some log lines: nobody read the output/);
});

it.each<{ name: string; env: Record<string, string>; isColored: boolean }>([
  { name: 'colors', env: { TERM: 'xterm-256color' }, isColored: true },
  {
    name: 'no colors with NO_COLOR',
    env: { TERM: 'xterm-256color', NO_COLOR: '1' },
    isColored: false,
  },
  { name: 'no colors on a dumb terminal', env: { TERM: 'dumb' }, isColored: false },
  { name: 'colors with FORCE_COLOR', env: { TERM: 'dumb', FORCE_COLOR: '1' }, isColored: true },
])('a line has $name', async ({ env, isColored }) => {
  const { shown, send } = await startAtTerminal(env);
  await send(`GET /momo/balance ${HEAD}`);
  await expect.poll(shown).toContain('Add ?apikey');
  expect(shown().includes('\x1b[')).toBe(isColored);
  expect(stripVTControlCharacters(shown())).toMatch(
    /\d\d GET \/momo\/balance 401 key-missing\r\n +The query has no apikey/,
  );
});

it('no bytes of a client control the terminal, and no key is shown', async () => {
  const { shown, send } = await startAtTerminal();
  const evil = '\x1b[2J\x1b]0;title\x07\x9b';
  const coded = encodeURIComponent(evil);
  for (const target of [`/${evil}`, `/momo/${coded}`, `/momo/balance?apikey=sekret${coded}`]) {
    await send(`GET ${target} ${HEAD}`);
  }
  await send(`GET /momo/balance HTTP/1.1\r\nHost: ${evil}\r\nConnection: close\r\n\r\n`);
  await send(`${evil} / ${HEAD}`);
  await send(`GET /momo/balance?apikey=momo_test_key ${HEAD}`);
  await expect.poll(() => shown().match(/^\d\d:\d\d:\d\d /gm)).toHaveLength(6);
  expect(shown()).toContain('account-1 200\r\n');
  const lines = shown().slice(shown().indexOf('curl ')).split('\r\n');
  expect(lines.join('\n')).not.toMatch(/[^\P{C}\n]/u);
  // The hint of an unknown key names the default one.
  const shownOf = lines.slice(1).join('\n').replace('so send momo_test_key', '');
  expect(shownOf).not.toMatch(/sekret|momo_test_key|title/);
});
