import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify, stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { FREE_PORTS, usedFolder } from '../support/command.ts';
import { needs } from '../support/machine.ts';
import { sendOverTls } from '../support/raw-connection.ts';

const SHIPPED = readFileSync('fixtures/momo/balance.get.json', 'utf8').trimEnd();
const CLI = join(process.cwd(), 'dist/cli.cjs');

/** Starts a mock at a terminal of its own, and waits until it is up. */
async function startAtTerminal(env: Record<string, string>, { flags = '', balance = '' } = {}) {
  const cwd = await usedFolder();
  if (balance !== '') {
    mkdirSync(join(cwd, 'fixtures/momo'), { recursive: true });
    writeFileSync(join(cwd, 'fixtures/momo/balance.get.json'), balance);
  }
  // With exec: a shell that waits would get the Ctrl-C too, and make its own exit code of it.
  const command = `exec '${process.execPath}' '${CLI}' ${FREE_PORTS.join(' ')} ${flags}`;
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
  return { child, cwd, shown: () => shown, curl, port, certificate, send };
}

describe('at a terminal', () => {
  beforeEach((context) => needs(context, 'script'));

  test('it says where it is, where the certificate is, and a curl line that works', async (context) => {
    needs(context, 'curl');
    const { child, cwd, shown, curl } = await startAtTerminal({ TERM: 'dumb' });
    expect(shown().trim().split('\n')).toHaveLength(4);
    expect(shown()).toMatch(/https:\/\/localhost:\d+\/momo\/balance/);
    expect(shown()).toContain('certs/momo-mock.pem');
    const { stdout } = await promisify(execFile)('sh', ['-c', curl], { cwd });
    expect(stdout).toBe(SHIPPED);
    await expect.poll(shown).toMatch(/\d\d GET \/momo\/balance account-1 200\r\n/);
    child.stdin.write('\x03');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });

  test('Ctrl-C twice ends it immediately, while a response is running', async () => {
    const { child, certificate, port } = await startAtTerminal(
      { TERM: 'dumb' },
      // More than the buffers of a connection hold, so that it runs until the client reads.
      { flags: '--shutdown-timeout 3600000', balance: JSON.stringify('x'.repeat(9_500_000)) },
    );
    const socket = connect({ port, host: 'localhost', ca: certificate.cert });
    socket.on('error', () => {});
    const ask = 'GET /momo/balance?apikey=momo_test_key HTTP/1.1\r\nHost: x\r\n\r\n';
    socket.write(ask.repeat(4));
    await once(socket, 'readable');
    const keys = setInterval(() => child.stdin.write('\x03'), 200);
    onTestFinished(() => clearInterval(keys));
    const [code] = await once(child, 'exit');
    socket.destroy();
    expect(code).toBe(130);
  });

  test('that shows nothing, as after Ctrl-S, it serves, and says later what it did not log', async () => {
    const { child, shown, send } = await startAtTerminal({ TERM: 'dumb' });
    child.stdout.pause();
    const path = `/${`${'a'.repeat(24)}/`.repeat(280)}`;
    for (let asked = 0; asked < 120; asked++) {
      expect(await send(`GET ${path} ${head}`)).toMatch(/^HTTP.1.1 401 /);
    }
    child.stdout.resume();
    await expect.poll(shown).toMatch(/! Failed to write \d+ log lines: nobody read the output/);
  });

  const head = 'HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

  test.each<[colors: string, env: Record<string, string>, isColored: boolean]>([
    ['colours', { TERM: 'xterm-256color' }, true],
    ['no colours with NO_COLOR', { TERM: 'xterm-256color', NO_COLOR: '1' }, false],
    ['no colours on a dumb terminal', { TERM: 'dumb' }, false],
    ['colours with FORCE_COLOR', { TERM: 'dumb', FORCE_COLOR: '1' }, true],
  ])('a request has %s', async (_name, env, isColored) => {
    const { shown, send } = await startAtTerminal(env);
    await send(`GET /momo/balance ${head}`);
    await expect.poll(shown).toContain('Add ?apikey');
    expect(shown().includes('\x1b[')).toBe(isColored);
    expect(stripVTControlCharacters(shown())).toMatch(
      /\d\d GET \/momo\/balance 401 key-missing\r\n +The query has no apikey/,
    );
  });

  test('nothing that a client sends steers it, and no key is shown', async () => {
    const { shown, send } = await startAtTerminal({ TERM: 'dumb' });
    const evil = '\x1b[2J\x1b]0;title\x07\x9b';
    const coded = encodeURIComponent(evil);
    for (const target of [`/${evil}`, `/momo/${coded}`, `/momo/balance?apikey=sekret${coded}`]) {
      await send(`GET ${target} ${head}`);
    }
    await send(`GET /momo/balance HTTP/1.1\r\nHost: ${evil}\r\nConnection: close\r\n\r\n`);
    await send(`${evil} / ${head}`);
    await send(`GET /momo/balance?apikey=momo_test_key ${head}`);
    await expect.poll(() => shown().match(/^\d\d:\d\d:\d\d /gm)).toHaveLength(6);
    expect(shown()).toContain('account-1 200\r\n');
    const lines = shown().slice(shown().indexOf('curl ')).split('\r\n');
    expect(lines.join('\n')).not.toMatch(/[^\P{C}\n]/u);
    expect(lines.slice(1).join('\n')).not.toMatch(/sekret|momo_test_key|title/);
  });
});
