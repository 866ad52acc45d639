import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyFolder, FREE_PORTS, runCommand, spawnCommand } from '../support/command.ts';
import { HAS_IPV6 } from '../support/machine.ts';
import { NODE_VERIFIES_IPV6 } from '../support/node-verifies-ipv6.ts';

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
      cwd: await emptyFolder(),
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

// test/cli/serve.test.ts has the others, in this process.
describe('what cannot be started says one sentence and no stack', () => {
  test.each<[string, string[], number, RegExp]>([
    ['an unknown flag', ['--prot', '1'], 2, /unknown flag --prot\. Did you mean --port\?$/],
    ['a folder that is not there', ['--fixtures-dir', 'nowhere'], 1, /^Failed to .*nowhere/],
  ])('%s', async (_name, args, code, sentence) => {
    const ended = await runCommand(args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr.trim()).toMatch(sentence);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  });

  test('a broken fixture, with its file, line and column', async () => {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, 'fixtures/momo'), { recursive: true });
    await writeFile(join(cwd, 'fixtures/momo/balance.get.json'), '{\n  "a": 1,\n}');
    const ended = await runCommand(FREE_PORTS, { cwd });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^Failed to read fixtures\/momo\/balance\.get\.json:3:1: /);
  });
});
