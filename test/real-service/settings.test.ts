import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { run } from '../support/command-in-process.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { KEY, runReal, startReal } from '../support/real-service.ts';

const BASE = 'https://api.example.com';
const USE_URL =
  'Use the base URL of the real service without a query, such as https://api.example.com.';

describe.each(['check', 'record'])('%s sends nothing and ends with exit code 2 for', (command) => {
  it.each<[string, string[], Record<string, string>, string]>([
    [
      'no URL',
      [],
      {},
      'Failed to read MOMO_MOCK_REAL_URL: it is not set. Use --real-url https://api.example.com.',
    ],
    ...[
      'http://api.example.com',
      `${BASE}?apikey=sekret`,
      'https://a:sekret@b.example',
      `${BASE}#sekret`,
      'sekret',
    ].map((url): [string, string[], Record<string, string>, string] => [
      `the URL ${url}`,
      ['--real-url', url],
      {},
      `Failed to read --real-url: the value is not allowed. ${USE_URL}`,
    ]),
    [
      'two keys',
      ['--real-url', BASE, '--real-key-file', 'sekret'],
      { MOMO_MOCK_REAL_KEY: 'sekret' },
      'Failed to read MOMO_MOCK_REAL_KEY and --real-key-file: both are set. Set one of them.',
    ],
    [
      'a key with a space',
      ['--real-url', BASE],
      { MOMO_MOCK_REAL_KEY: 'sek ret' },
      'Failed to read MOMO_MOCK_REAL_KEY: the key contains white space or non-ASCII characters. Use the key alone.',
    ],
    [
      'a missing key file',
      ['--real-url', BASE, '--real-key-file', '/none/sekret'],
      {},
      'Failed to read --real-key-file: it cannot be read (ENOENT). Use the path of a readable file.',
    ],
    [
      'an empty key file',
      ['--real-url', BASE, '--real-key-file', '/dev/null'],
      {},
      'Failed to read --real-key-file: it contains no key. Use the key alone.',
    ],
    [
      'no certificate',
      ['--real-url', BASE, '--real-ca-file', '/dev/null'],
      {},
      'Failed to read --real-ca-file: it contains no certificate. Use a PEM file.',
    ],
    [
      'the key as a query',
      ['--real-url', BASE, '--query', 'apiKey=sekret'],
      {},
      'Failed to read the command line: the key has no flag, because process lists show flags. Set MOMO_MOCK_REAL_KEY.',
    ],
    [
      'a query without a name',
      ['--real-url', BASE, '--query', '=sekret'],
      {},
      'Failed to read the command line: a value of --query does not have the form NAME=VALUE.',
    ],
    [
      'a parameter of dots',
      ['--real-url', BASE, '--param', 'id=..'],
      {},
      'Failed to read the command line: a value of --param is empty or consists of dots. Use another one.',
    ],
    ...['POST /momo/x', 'HEAD /momo/balance'].map(
      (name): [string, string[], Record<string, string>, string] => [
        name,
        ['--real-url', BASE, '--operation', name],
        { MOMO_MOCK_REAL_KEY: 'k' },
        "Failed to read --operation: only GET requests are sent to the real service. Use a name such as 'GET /momo/balance' or 'GET /momo/status/[reference]'.",
      ],
    ),
    ...[
      'momo',
      'GET x',
      'GET /',
      'GET /a/../b',
      'GET /a?sekret',
      'GET /a/.b',
      'GET /a/',
      'GET /a.md/b',
      'GET /[a',
    ].map((name): [string, string[], Record<string, string>, string] => [
      name,
      ['--real-url', BASE, '--operation', name],
      { MOMO_MOCK_REAL_KEY: 'k' },
      "Failed to read --operation: it is not the name of an operation. Use a name such as 'GET /momo/balance' or 'GET /momo/status/[reference]'.",
    ]),
    [
      'a missing parameter',
      ['--real-url', BASE, '--operation', 'GET /a/[id]'],
      { MOMO_MOCK_REAL_KEY: 'k' },
      'Failed to read the command line: the operation needs --param id=VALUE.',
    ],
    [
      'no key',
      ['--real-url', BASE, '--operation', 'GET /momo/balance'],
      {},
      'Failed to read MOMO_MOCK_REAL_KEY: it is not set. Set it, or use --real-key-file FILE (- reads standard input).',
    ],
  ])('%s', async (_what, args, env, sentence) => {
    const ended = await run([command, ...args], { env });
    expect(ended).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
  });
});

describe('wrong flags of only one command:', () => {
  it.each<['check' | 'record', string[], string]>([
    [
      'check',
      ['--operation', 'GET /x'],
      '--operation has no fixture file. The operations: GET /momo/balance, GET /momo/y/:id.',
    ],
    [
      'check',
      ['--variant', 'none'],
      '--variant has no fixture file. The variants: empty, flat, per-operator, single.',
    ],
    ['check', ['--variant', 'emty'], '--variant has no fixture file. Did you mean "empty"?'],
    [
      'check',
      ['--param', 'ref=sekret'],
      'no operation has the parameter in --param. The parameters: id.',
    ],
    [
      'record',
      ['--operation', 'GET /errors/404'],
      'Failed to read {folder}/errors/404.get.schema.json: the folder "errors", in lower case, is reserved for error responses: NNN.json, NNN.http or NNN.js with NNN from 400 to 599. Name it by its status, such as errors/404.json, or move it to another folder.',
    ],
    [
      'record',
      ['--operation', 'GET /a/b.get'],
      'Failed to read {folder}/a/b.get.get.schema.json: "get.schema" is not a valid variant name. Use letters, digits, - and _ between the method and the extension.',
    ],
    [
      'record',
      ['--variant', 'schema'],
      'Failed to read {folder}/momo/balance.get.schema.json: this name has another meaning. Use another one.',
    ],
    [
      'record',
      ['--variant', 'a/b'],
      'Failed to read {folder}/momo/balance.get.a/b.json: "a/b" is not a valid variant name. Use letters, digits, - and _ between the method and the extension.',
    ],
  ])('%s %j ends with exit code 2', async (command, args, sentence) => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'momo/y/[id].get.json': {} });
    const real = await startReal({ '/momo/balance': { a: [1] } });
    const { code, stderr } = await runReal(command, real, '--fixtures-dir', folder, ...args);
    const line = sentence.startsWith('Failed')
      ? sentence
      : `Failed to read the command line: ${sentence}`;
    expect({ code, stderr }).toEqual({ code: 2, stderr: `${line.replace('{folder}', folder)}\n` });
  });
});

it('the key comes from a file, or from standard input of the built command', async () => {
  const real = await startReal({ '/momo/balance': { a: 1 } });
  const folder = temporaryFolder();
  const file = join(folder, 'key');
  writeFileSync(file, `${KEY}\n`);
  const fixtures = join(folder, 'fixtures');
  writeFiles(fixtures, { 'momo/balance.get.json': { a: 2 } });
  const args = ['check', ...real.flags, '--fixtures-dir', fixtures, '--real-key-file'];
  expect(await run([...args, file])).toMatchObject({ code: 0, stderr: '' });
  const spawned = await runCommand([...args, '-'], { stdin: `${KEY}\n` });
  expect(spawned).toMatchObject({ code: 0, stderr: '' });
  expect(spawned.stdout).toContain('GET /momo/balance: same\n');
});

it('the key and the certificates may be in UTF-16, as PowerShell writes them', async () => {
  const real = await startReal({ '/momo/balance': { a: 1 } });
  const folder = temporaryFolder();
  const encode = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');
  const [key, ca] = [join(folder, 'key'), join(folder, 'ca.pem')];
  writeFileSync(key, encode(`${KEY}\r\n`));
  writeFileSync(ca, encode(readFileSync(real.flags.at(-1) ?? '', 'utf8')));
  const fixtures = join(folder, 'fixtures');
  writeFiles(fixtures, { 'momo/balance.get.json': { a: 2 } });
  const settings = ['--real-url', real.url, '--real-ca-file', ca, '--real-key-file', key];
  const ended = await run(['check', ...settings, '--fixtures-dir', fixtures]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
});

it('the built command records into the fixtures of the working folder, and no others', async () => {
  const real = await startReal({ '/momo/balance': { a: 1 } });
  const env = { MOMO_MOCK_REAL_KEY: KEY };
  const cwd = temporaryFolder();
  expect(await runCommand(['record', ...real.flags], { cwd, env })).toMatchObject({
    code: 0,
    stdout:
      'written  fixtures/momo/balance.get.schema.json\nwritten  fixtures/momo/balance.get.json\n',
    stderr: '',
  });
  const empty = temporaryFolder();
  mkdirSync(join(empty, 'fixtures'));
  writeFiles(empty, { 'fixtures/.gitkeep': '' });
  const filled = await runCommand(['record', ...real.flags], { cwd: empty, env });
  expect(filled).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(join(empty, 'fixtures/momo'))).toHaveLength(2);
  const other = temporaryFolder();
  writeFiles(other, { 'fixtures/users.json': '[]' });
  const refused = await runCommand(['record', ...real.flags], { cwd: other, env });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(
    /^Failed to read the command line: .*MOMO_MOCK_FIXTURES_DIR=fixtures\.\n$/,
  );
  expect(real.requests).toHaveLength(2);
  const made = await runCommand(['record', ...real.flags, '--fixtures-dir', 'new'], { cwd, env });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const missing = await runCommand(['check', ...real.flags, '--fixtures-dir', 'none'], {
    cwd,
    env,
  });
  expect(missing).toMatchObject({ code: 3, stderr: expect.stringContaining('no such folder') });
});
