import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HAS_IPV6 } from '../machine.ts';
import { NODE_VERIFIES_IPV6 } from '../node-verifies-ipv6.ts';
import { emptyFolder, FREE_PORTS, runCommand, spawnCommand } from '../spawned-command.ts';

const SHIPPED = readFileSync('fixtures/momo/balance.get.json', 'utf8').trimEnd();

function fetchText(url: string, ca: string): Promise<string> {
  return new Promise((done, fail) => {
    get(url, { ca, agent: false }, async (incoming) => {
      let body = '';
      for await (const chunk of incoming) body += chunk;
      done(body);
    }).on('error', fail);
  });
}

describe('momo-mock', () => {
  test('starts with no configuration but free ports, and its first line says where it is', async () => {
    const { ready, cwd } = await spawnCommand(FREE_PORTS);
    const { url, controlUrl, certificate, port, ...rest } = await ready;
    expect(port).toBeGreaterThan(0);
    expect(url).toBe(`https://localhost:${port}`);
    expect(controlUrl).toMatch(/^http:\/\/localhost:\d+$/);
    expect(certificate).toBe(join(cwd, 'certs/momo-mock.pem'));
    expect(rest).toMatchObject({ level: 30, msg: 'ready' });
    const ca = readFileSync(certificate ?? '', 'utf8');
    for (const host of [
      'localhost',
      '127.0.0.1',
      ...(HAS_IPV6 && NODE_VERIFIES_IPV6 ? ['[::1]'] : []),
    ]) {
      const target = `https://${host}:${port}/momo/balance?apikey=momo_test_key`;
      expect(await fetchText(target, ca)).toBe(SHIPPED);
    }
    expect(existsSync(join(cwd, 'certs/momo-mock-key.pem'))).toBe(true);
  });

  test('writes the ready record at every level but silent', async () => {
    const quiet = await spawnCommand([...FREE_PORTS, '--log-level', 'fatal']);
    expect(await quiet.ready).toMatchObject({ msg: 'ready' });
    const silent = await spawnCommand([...FREE_PORTS.slice(0, 2), '--log-level', 'silent'], {
      env: { MOMO_MOCK_CONTROL_PORT: '0' },
    });
    const file = join(silent.cwd, 'certs/momo-mock.pem');
    await expect.poll(() => existsSync(file), { timeout: 10_000 }).toBe(true);
    silent.child.kill('SIGTERM');
    expect(await silent.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('takes its fixtures, keys and certificate from the working folder and .env', async () => {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, 'fixtures/momo'), { recursive: true });
    await writeFile(join(cwd, 'fixtures/momo/balance.get.json'), '{"mine":1}\n');
    await writeFile(join(cwd, '.env'), 'MOMO_MOCK_API_KEYS_FILE=keys\nPORT=1\n');
    await writeFile(join(cwd, 'keys'), 'one\ntwo=empty\n');
    const { ready } = await spawnCommand(FREE_PORTS, { cwd });
    const { url, certificate } = await ready;
    const ca = readFileSync(certificate ?? '', 'utf8');
    expect(await fetchText(`${url}/momo/balance?apikey=one`, ca)).toBe('{"mine":1}');
    expect(await fetchText(`${url}/momo/balance?apikey=two`, ca)).toContain('"balance": []');
  });

  test('takes a folder of fixtures that has errors alone', async () => {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, 'fixtures/errors'), { recursive: true });
    await writeFile(join(cwd, 'fixtures/errors/404.json'), '{"mine":1}\n');
    const { ready, output } = await spawnCommand(FREE_PORTS, { cwd });
    const { url, certificate } = await ready;
    const ca = readFileSync(certificate ?? '', 'utf8');
    expect(await fetchText(`${url}/nothing?apikey=momo_test_key`, ca)).toBe('{"mine":1}');
    expect(await fetchText(`${url}/momo/balance?apikey=momo_test_key`, ca)).toBe(SHIPPED);
    expect(output()).not.toContain('not used');
  });

  test('takes keys from standard input', async () => {
    const args = [...FREE_PORTS, '--api-keys-file', '-'];
    const { ready } = await spawnCommand(args, { stdin: 'from_stdin\n' });
    const { url, certificate } = await ready;
    const ca = readFileSync(certificate ?? '', 'utf8');
    expect(await fetchText(`${url}/momo/balance?apikey=from_stdin`, ca)).toBe(SHIPPED);
  });

  test('leaves alone a folder called fixtures that is not its own, and says so', async () => {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, 'fixtures'));
    await writeFile(join(cwd, 'fixtures/users.json'), '[]');
    const { ready, output } = await spawnCommand(FREE_PORTS, { cwd });
    await ready;
    await expect.poll(output).toContain('set MOMO_MOCK_FIXTURES_DIR=fixtures');
  });
});

describe('what cannot be started says one sentence and no stack', () => {
  test.each<[string, string[], Record<string, string>, number, RegExp]>([
    ['an unknown flag', ['--prot', '1'], {}, 2, /unknown flag --prot\. Did you mean --port\?$/],
    ['an unknown command', ['halth'], {}, 2, /unknown command\. .* Did you mean health\?$/],
    ['a word that other tools have', ['start'], {}, 2, /Did you mean serve\?$/],
    ['help of an unknown command', ['help', 'halth'], {}, 2, /Did you mean health\?$/],
    ['a setting for a command without', ['init', '--port', '1'], {}, 2, /unknown flag --port/],
    [
      'a keys file that is not there',
      ['--api-keys-file=a.txt'],
      {},
      2,
      /a\.txt does not exist\. Use/,
    ],
    ['an unknown setting', [], { MOMO_MOCK_PROT: '1' }, 2, /Did you mean MOMO_MOCK_PORT\?$/],
    ['a wrong setting', [], { MOMO_MOCK_PORT: 'x' }, 2, /MOMO_MOCK_PORT: "x" is not allowed/],
    ['a flag without its value', ['--port'], {}, 2, /--port: its value is missing/],
    ['a flag in place of a value', ['--host', '--port=0'], {}, 2, /--host: its value is missing/],
    ['too many words', ['serve', 'me'], {}, 2, /serve has too many arguments/],
    [
      'a variant without a file',
      ['--balance-variant', 'huge'],
      {},
      2,
      /"huge" has no fixture file\. Use one of empty, flat, per-operator, single/,
    ],
    [
      'a key with such a variant',
      [],
      { MOMO_MOCK_API_KEYS: 'k=huge' },
      2,
      /^Failed to read API key 1: the variant after its = has no fixture file/,
    ],
    ['a folder that is not there', ['--fixtures-dir', 'nowhere'], {}, 1, /nowhere/],
    [
      'a certificate that is not there',
      ['--tls-cert-file=a.pem', '--tls-key-file=b.pem'],
      {},
      1,
      /MOMO_MOCK_TLS_CERT_FILE/,
    ],
    ['half a pair', ['--tls-cert-file=a.pem'], {}, 2, /only one of them is set/],
    [
      'a host that is not there',
      ['--host', '192.0.2.1'],
      {},
      1,
      /Set MOMO_MOCK_HOST to one of its addresses\.$/,
    ],
  ])('%s', async (_name, args, env, code, sentence) => {
    const ended = await runCommand(args, { env });
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr.trim()).toMatch(sentence);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });

  test('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const ended = await runCommand(['--port', String(port), '--control-port', '0']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/another program listens there\. .*MOMO_MOCK_PORT.*\n$/);
    const control = await runCommand(['--port', '0', '--control-port', String(port)]);
    expect(control).toMatchObject({ code: 1, stdout: '' });
    expect(control.stderr).toMatch(/MOMO_MOCK_CONTROL_PORT/);
  });

  test('a broken fixture, with its file, line and column', async () => {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, 'fixtures/momo'), { recursive: true });
    await writeFile(join(cwd, 'fixtures/momo/balance.get.json'), '{\n  "a": 1,\n}');
    const ended = await runCommand(FREE_PORTS, { cwd });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^Failed to read fixtures\/momo\/balance\.get\.json:3:1: /);
  });

  test('keys given as a flag are refused and not repeated', async () => {
    for (const flag of ['--api-keys', '--apikey', '--API-KEY', '--control-token']) {
      const ended = await runCommand([`${flag}=sekret`]);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toMatch(/keys and tokens have no flag/);
      expect(ended.stderr).not.toContain('sekret');
    }
  });

  test('all wrong flags and settings are reported together', async () => {
    const env = { MOMO_MOCK_PORT: 'x', MOMO_MOCK_FOO: '1', MOMO_MOCK_LOG_LEVEL: 'loud' };
    expect((await runCommand([], { env })).stderr.trim().split('\n')).toHaveLength(3);
    expect((await runCommand(['--foo', '--bar'])).stderr.trim().split('\n')).toHaveLength(2);
  });
});
