import dnsOfListen from 'node:dns';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { replaceBuiltin } from '../support/builtin.ts';
import { ask, control } from '../support/client.ts';
import {
  clientOf,
  FREE_PORTS,
  programForAnyUser,
  runCommand,
  spawnCommand,
} from '../support/command.ts';
import * as here from '../support/command-in-process.ts';
import { type Files, temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { FOREIGN_ADDRESS, HAS_IPV6, NOBODY, needsForeignAddress } from '../support/machine.ts';
import { NODE_VERIFIES_IPV6 } from '../support/node-verifies-ipv6.ts';
import { serveHere } from './served.ts';

const SHIPPED = JSON.parse(readFileSync('fixtures/momo/balance.get.json', 'utf8'));

describe('serve', () => {
  it('needs only free ports, and its first line has the URL', async () => {
    const { ready, cwd } = await spawnCommand(FREE_PORTS, { cwd: temporaryFolder() });
    const { url, port } = await ready;
    const certificate = join(cwd, 'certs/momo-mock.pem');
    expect(await ready).toEqual({
      level: 30,
      time: expect.any(Number),
      msg: 'ready',
      url: `https://localhost:${port}`,
      controlUrl: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      certificate,
      port: Number(new URL(url).port),
    });
    expect(existsSync(join(cwd, 'certs/momo-mock-key.pem'))).toBe(true);
    const ca = readFileSync(certificate, 'utf8');
    const ipv6 = HAS_IPV6 && NODE_VERIFIES_IPV6 ? ['[::1]'] : [];
    for (const host of ['localhost', '127.0.0.1', ...ipv6]) {
      const mock = { url: `https://${host}:${port}`, ca, apiKey: 'momo_test_key' };
      expect(await ask(mock)).toMatchObject({ status: 200, json: SHIPPED });
    }
  });

  it.each<[string, Files, Record<string, unknown>]>([
    [
      'fixtures, .env and keys',
      {
        'fixtures/momo/balance.get.json': '{"mine":1}\n',
        '.env': 'MOMO_MOCK_API_KEYS_FILE=keys\nPORT=1\n',
        keys: 'one\ntwo=empty\n',
      },
      { one: { mine: 1 }, two: expect.objectContaining({ balance: [] }) },
    ],
    [
      'fixtures with only errors',
      { 'fixtures/errors/401.json': '{"mine":1,"code":"UNAUTHORIZED"}\n' },
      { momo_test_key: SHIPPED, none: { mine: 1, code: 'UNAUTHORIZED' } },
    ],
    ['.env with a byte order mark', { '.env': '\uFEFFMOMO_MOCK_API_KEYS=one' }, { one: SHIPPED }],
    ...(
      [
        ['little', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
        ['big', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
      ] as const
    ).map(([endian, encode]): [string, Files, Record<string, unknown>] => [
      `.env and keys in UTF-16, ${endian}-endian`,
      { '.env': encode('MOMO_MOCK_API_KEYS_FILE=keys\r\n'), keys: encode('one\r\ntwo\r\n') },
      { one: SHIPPED, two: SHIPPED },
    ]),
    ['a folder named .env', { '.env/bin/python': '' }, { momo_test_key: SHIPPED }],
  ])('reads from the working folder: %s', async (_what, files, balances) => {
    const cwd = temporaryFolder();
    writeFiles(cwd, files);
    const { ready, output } = await spawnCommand(FREE_PORTS, { cwd });
    for (const [apiKey, balance] of Object.entries(balances)) {
      expect((await ask(await clientOf(ready, apiKey))).json).toEqual(balance);
    }
    expect(output()).not.toContain('is ignored');
  });

  it('refuses a .env with a NUL byte, as in UTF-16 without a byte order mark', async () => {
    const cwd = temporaryFolder();
    writeFiles(cwd, { '.env': Buffer.from('MOMO_MOCK_API_KEYS=one', 'utf16le') });
    expect(await runCommand(FREE_PORTS, { cwd })).toMatchObject({
      code: 2,
      stderr: 'Failed to read .env: it contains a NUL byte. Save it as UTF-8 text.\n',
    });
  });

  it('uses an empty folder named fixtures', async () => {
    const cwd = temporaryFolder();
    writeFiles(cwd, { 'fixtures/.gitkeep': '' });
    const { ready, output } = await spawnCommand(FREE_PORTS, { cwd });
    const mock = await clientOf(ready);
    writeFiles(cwd, { 'fixtures/momo/balance.get.json': '{"mine":1}' });
    await expect.poll(async () => (await ask(mock)).json).toEqual({ mine: 1 });
    expect(output()).not.toContain('is ignored');
  });

  it('serves a folder named fixtures that is created later or replaced', async () => {
    const cwd = temporaryFolder();
    const { ready } = await spawnCommand(FREE_PORTS, { cwd });
    const mock = await clientOf(ready);
    const balance = async () => (await ask(mock)).json;
    expect(await balance()).toEqual(SHIPPED);
    writeFiles(cwd, { 'fixtures/momo/balance.get.json': '{"mine":1}' });
    await expect.poll(balance).toEqual({ mine: 1 });
    renameSync(join(cwd, 'fixtures'), join(cwd, 'before'));
    writeFiles(cwd, { 'fixtures/momo/balance.get.json': '{"mine":2}' });
    await expect.poll(balance).toEqual({ mine: 2 });
  });

  it('logs once that it ignores a folder named fixtures that is created later without a fixture', async () => {
    const cwd = temporaryFolder();
    const { ready, output } = await spawnCommand(FREE_PORTS, { cwd });
    const mock = await clientOf(ready);
    mkdirSync(join(cwd, 'fixtures'));
    writeFiles(cwd, { 'fixtures/users.json': '[]' });
    await expect.poll(output).toContain('set MOMO_MOCK_FIXTURES_DIR=fixtures');
    rmSync(join(cwd, 'fixtures/users.json'));
    writeFiles(cwd, { 'fixtures/momo/balance.get.json': '{"mine":1}' });
    await expect.poll(async () => (await ask(mock)).json).toEqual({ mine: 1 });
    expect(output().match(/is ignored/g)).toHaveLength(1);
  });

  it('ignores a folder named fixtures that has no fixture, and says so', async () => {
    const cwd = temporaryFolder();
    writeFiles(cwd, { 'fixtures/users.json': '[]' });
    const { output } = await spawnCommand(FREE_PORTS, { cwd });
    await expect.poll(output).toContain('set MOMO_MOCK_FIXTURES_DIR=fixtures');
    const [ready, ...lines] = output().trimEnd().split('\n');
    expect([JSON.parse(ready ?? '').msg, ...lines.map((line) => JSON.parse(line).msg)]).toEqual([
      'ready',
      'The folder fixtures is ignored: no file in it has the name of a fixture, such as pay.post.json. Failed to read fixtures/users.json: its name contains no HTTP method in lower case (<segment>.<method>[.<variant>].<json|http|js|response.json>). Name it users.get.json if it responds to GET. If it is for momo-mock, set MOMO_MOCK_FIXTURES_DIR=fixtures.',
    ]);
  });

  it.each([
    ['MOMO_MOCK_APIKEY alone', { APIKEY: 'sekret' }, true],
    ['an empty one', { APIKEY: '' }, false],
    ['the key that it accepts anyway', { APIKEY: 'momo_test_key' }, false],
    ['keys besides it', { APIKEY: 'sekret', API_KEYS: 'sekret' }, false],
  ])('warns of a key that it ignores: %s', async (_what, settings, isWarned) => {
    const env = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`MOMO_MOCK_${name}`, value]),
    );
    const { stop } = await serveHere([], { env });
    const { stdout } = await stop();
    const text =
      'MOMO_MOCK_APIKEY is ignored, and requests with its key get 401: momo-mock run sets it for tests. To accept a key, set MOMO_MOCK_API_KEYS to it.';
    expect(stdout.includes(text)).toBe(isWarned);
    expect(stdout).not.toContain('sekret');
  });

  it('ignores a folder named fixtures that it may not list, wherever the key is', async () => {
    const cwd = temporaryFolder();
    const fixtures = join(cwd, 'fixtures');
    mkdirSync(fixtures);
    chmodSync(fixtures, 0);
    onTestFinished(() => chmodSync(fixtures, 0o755));
    chmodSync(cwd, 0o755);
    const cli = await programForAnyUser();
    const { output } = await spawnCommand([...FREE_PORTS, '--key-in', 'bearer'], {
      cli,
      cwd,
      ...(NOBODY && { uid: NOBODY }),
    });
    await expect.poll(output).toContain('set MOMO_MOCK_FIXTURES_DIR=fixtures');
  });

  it.each([
    ['a folder', { 'fixtures/collection/token.post.json': '{"mine":1}' }],
    ['an operation', { 'fixtures/token.post.js': 'export default () => ({ body: { mine: 1 } });' }],
  ])('uses a folder called fixtures with %s', async (_what, files) => {
    const cwd = temporaryFolder();
    writeFiles(cwd, files);
    const { ready, output } = await spawnCommand(FREE_PORTS, { cwd });
    const { controlUrl } = await ready;
    const { json } = await control({ controlUrl }, 'GET /health');
    expect(json).toMatchObject({
      operations: expect.arrayContaining([expect.stringMatching(/token$/)]),
    });
    expect(output()).not.toContain('is ignored');
  });

  it('reads keys from standard input', async () => {
    const args = [...FREE_PORTS, '--api-keys-file', '-'];
    const { ready } = await spawnCommand(args, { stdin: 'from_stdin\n' });
    expect((await ask(await clientOf(ready, 'from_stdin'))).status).toBe(200);
  });

  it('writes the ready record at every log level except silent', async () => {
    const quiet = await serveHere(['--log-level', 'fatal']);
    await ask({ ...quiet, apiKey: 'wrong' });
    const { stdout } = await quiet.stop();
    expect(JSON.parse(stdout)).toMatchObject({ level: 30, msg: 'ready' });

    const certs = join(temporaryFolder(), 'certs');
    const silent = here.start([...FREE_PORTS, '--certs-dir', certs, '--log-level', 'silent']);
    await expect.poll(() => existsSync(certs)).toBe(true);
    process.emit('SIGTERM', 'SIGTERM');
    expect(await silent.ended).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('a host that does not resolve to this machine', () => {
  it.each([
    ['nowhere', () => Promise.reject(new Error('ENOTFOUND'))],
    ['elsewhere', () => Promise.resolve({ address: FOREIGN_ADDRESS, family: 4 })],
  ])('but %s causes a warning, and the mock listens on localhost', async (_where, lookup) => {
    replaceBuiltin(dns, 'lookup', lookup);
    const { url, stop } = await serveHere(['--host', 'api.example.com']);
    expect(url).toMatch(/^https:\/\/localhost:\d+$/);
    const { stdout } = await stop();
    expect(stdout).toMatch(
      /"The service listens on localhost, because api\.example\.com does not resolve .* --proxy\."/,
    );
    // health looks there, too.
    const flags = ['--control-port', 'off', '--host', 'api.example.com', '--port', '1'];
    const { stderr } = await here.run(['health', ...flags]);
    expect(stderr).toMatch(/^Failed to reach the service of momo-mock on localhost port 1: /);
  });

  it.each([
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['momo.test', 'momo.test'],
    ['0.0.0.0', 'localhost'],
  ])('is not %s: the mock listens on %s', async (host, at) => {
    replaceBuiltin(dns, 'lookup', async () => ({ address: '127.0.0.1', family: 4 }));
    const { lookup } = dnsOfListen;
    replaceBuiltin(dnsOfListen, 'lookup', (name: string, ...rest: [never]) =>
      lookup(name === 'momo.test' ? '127.0.0.1' : name, ...rest),
    );
    const { url, stop } = await serveHere(['--host', host]);
    expect(new URL(url).hostname).toBe(at);
    expect((await stop()).stdout).not.toContain('does not resolve');
  });
});

describe('serve fails with one sentence and no stack for', () => {
  type Settings = Readonly<Record<string, string>>;
  /** Starts with settings that touch nothing of this machine. */
  async function fail(args: readonly string[], settings: Settings = {}) {
    const own = { PORT: '0', CONTROL_PORT: '0', CERTS_DIR: join(temporaryFolder(), 'certs') };
    const named = Object.entries({ ...own, ...settings });
    const env = Object.fromEntries(named.map(([name, value]) => [`MOMO_MOCK_${name}`, value]));
    const { code, stdout, stderr } = await here.run(args, { env });
    return { code, stdout, lines: stderr.trimEnd().split('\n') };
  }

  it.each<[string, string[], Settings, number, RegExp]>([
    ['no keys file', ['--api-keys-file=no.txt'], {}, 2, /no\.txt does not exist\. Use/],
    ['an unknown setting', [], { PROT: '1' }, 2, /Did you mean MOMO_MOCK_PORT\?$/],
    ['a wrong setting', [], { PORT: 'x' }, 2, /MOMO_MOCK_PORT: "x" is not allowed/],
    [
      'a variant without a file',
      ['--variant', 'huge'],
      {},
      2,
      /^Failed to read --variant: the variant "huge" has no fixture file\. Add a file such as momo\/balance\.get\.NAME\.json, or use one of empty, flat, per-operator, single/,
    ],
    ['half a pair', ['--tls-cert-file=a.pem'], {}, 2, /only one of them is set/],
    [
      'a certificate that is not there',
      ['--tls-cert-file=a.pem', '--tls-key-file=b.pem'],
      {},
      1,
      /Correct --tls-cert-file\.$/,
    ],
    ['a folder that is not there', ['--fixtures-dir', 'nowhere'], {}, 1, /^Failed to .*nowhere/],
  ])('%s', async (_what, args, settings, code, sentence) => {
    const lines = [expect.stringMatching(sentence)];
    expect(await fail(args, settings)).toEqual({ code, stdout: '', lines });
  });

  it('an address that this machine does not have', async (context) => {
    await needsForeignAddress(context);
    const lines = [expect.stringMatching(/Set --host to one of its addresses\.$/)];
    expect(await fail(['--host', FOREIGN_ADDRESS])).toEqual({ code: 1, stdout: '', lines });
  });

  it('a broken fixture, with its file, line and column', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'momo/balance.get.json': '{\n  "a": 1,\n}' });
    const lines = [expect.stringMatching(/^Failed to read .*\/momo\/balance\.get\.json:3:1: /)];
    expect(await fail(['--fixtures-dir', folder])).toEqual({ code: 1, stdout: '', lines });
  });

  it.each(['--port', '--control-port'])('%s that is in use', async (flag) => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const lines = [expect.stringMatching(`another program listens there\\. .* set ${flag} to`)];
    expect(await fail([flag, `${port}`])).toEqual({ code: 1, stdout: '', lines });
  });

  it('every problem, if there are several', async () => {
    const wrong = { PORT: 'x', FOO: '1', LOG_LEVEL: 'loud' };
    expect((await fail([], wrong)).lines).toHaveLength(3);
    // Variants are checked later, and the one of a key is not shown.
    const variants = { VARIANT: 'huge', API_KEYS: 'a=empty,b=sekret' };
    expect((await fail([], variants)).lines).toEqual([
      expect.stringMatching(/^Failed to read MOMO_MOCK_VARIANT: the variant "huge" has no fixture/),
      expect.stringMatching(
        /^Failed to read API key 2: the variant after its = has no fixture file\. Add a file such as /,
      ),
    ]);
  });

  it('a run of the built command', async () => {
    const ended = await runCommand(['--fixtures-dir', 'nowhere', ...FREE_PORTS]);
    const stderr = expect.stringMatching(/^Failed to .*nowhere.*\n$/);
    expect(ended).toEqual({ code: 1, signal: null, stdout: '', stderr });
  });
});

describe('--open', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'xdg-open is there on Linux only'));

  it('opens the live page in a browser', async () => {
    const folder = temporaryFolder();
    const browser = '#!/bin/sh\nprintf %s "$1" > "$0.opened"\n';
    writeFileSync(join(folder, 'xdg-open'), browser, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const { ready } = await spawnCommand([...FREE_PORTS, '--open'], { env });
    const { controlUrl } = await ready;
    const opened = () => readFileSync(join(folder, 'xdg-open.opened'), 'utf8');
    await expect.poll(opened).toBe(controlUrl);
  });

  it('prints the address if no browser can be started, and serves', async () => {
    const env = { PATH: temporaryFolder() };
    const { controlUrl, output } = await serveHere(['--open'], { env });
    const said = `Failed to open the browser: no browser was found. Open ${controlUrl} in one.`;
    await expect.poll(output).toContain(said);
    expect((await fetch(`${controlUrl}/health`)).status).toBe(200);
  });
});
