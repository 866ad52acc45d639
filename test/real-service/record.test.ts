import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceBuiltin } from '../support/builtin.ts';
import { ask } from '../support/client.ts';
import { run } from '../support/command-in-process.ts';
import { type Files, temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { startMock } from '../support/mock.ts';
import {
  type Responses,
  runReal,
  sendText,
  startReal,
  startRealServer,
} from '../support/real-service.ts';

const DEPOSIT = {
  id: '7d9f7f0e-7a52-4a3d-8a53-0f3f0d6f4b11',
  amount: 2000,
  fee: 12.5,
  total: '2012.50',
  day: '2026-01-31',
  at: '2026-01-31T10:20:30Z',
  link: 'https://pay.example/d/7',
  mail: 'ama@shop.example',
  phone: '+22990000001',
  payer: '22990000002',
  currency: 'XOF',
  note: 'rent',
  done: true,
  error: null,
};

/** What `record` did in a folder: its result, and the files as values. */
interface RecordedTree {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly schema: { properties?: unknown };
  readonly fixture: Record<string, unknown>;
  readonly folder: string;
}

/** Records the balance of a service into a folder. */
async function recordBalance(
  body: unknown,
  flags: readonly string[] = [],
  folder = temporaryFolder(),
): Promise<RecordedTree> {
  const real = await startReal({ '/momo/balance': body });
  const { code, stdout, stderr } = await runReal(
    'record',
    real,
    '--fixtures-dir',
    folder,
    ...flags,
  );
  const read = (name: string) => {
    const path = join(folder, 'momo', name);
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
  };
  const shown = (text: string) => text.replaceAll(`${folder}/`, '');
  const files = { schema: read('balance.get.schema.json'), fixture: read('balance.get.json') };
  return { code, stdout: shown(stdout), stderr: shown(stderr), ...files, folder };
}

/** Whether a mock starts with a folder, and a service has its shape. */
async function isServedAndSame(folder: string, responses: Responses): Promise<boolean> {
  await startMock({}, { fixturesDir: folder });
  const real = await startReal(responses);
  return (await runReal('check', real, '--fixtures-dir', folder)).code === 0;
}

describe('record', () => {
  it('writes a schema and a sample of the same formats, which a mock serves', async () => {
    const { code, stdout, stderr, schema, fixture, folder } = await recordBalance(DEPOSIT);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'written  momo/balance.get.schema.json\nwritten  momo/balance.get.json\n',
      stderr: '',
    });
    const phone = '^(\\+[1-9]\\d{6,14}|[1-9]\\d{10,14})$';
    expect(schema).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid' },
        amount: { type: 'integer' },
        fee: { type: 'number' },
        total: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' },
        day: { type: 'string', format: 'date' },
        at: { type: 'string', format: 'date-time' },
        link: { type: 'string', format: 'uri' },
        mail: { type: 'string', format: 'email' },
        phone: { type: 'string', pattern: phone },
        payer: { type: 'string', pattern: phone },
        currency: { type: 'string', pattern: '^[A-Z]{3}$' },
        note: { type: 'string' },
        done: { type: 'boolean' },
        error: { type: 'null' },
      },
      required: Object.keys(DEPOSIT).sort(),
    });
    expect(fixture).toEqual({
      id: '00000000-0000-4000-8000-000000000001',
      amount: 100,
      fee: 100.5,
      total: '100.00',
      day: '2001-01-01',
      at: '2001-01-01T00:00:00.000Z',
      link: 'https://host.example/',
      mail: 'user@host.example',
      phone: '+22900000001',
      payer: '+22900000001',
      currency: 'XOF',
      note: 'text',
      done: true,
      error: null,
    });
    const mock = await startMock({}, { fixturesDir: folder });
    expect((await ask(mock)).json).toEqual(fixture);
    expect(await isServedAndSame(folder, { '/momo/balance': DEPOSIT })).toBe(true);
  });

  it('lets check find ten differences later', async () => {
    const { folder } = await recordBalance({ ...DEPOSIT, parts: [{ fee: 1 }] });
    const { note: _, ...drifted } = {
      ...DEPOSIT,
      id: 'no uuid',
      amount: '2000',
      fee: null,
      total: 2012.5,
      day: '31/01/2026',
      done: 'yes',
      error: { code: 1 },
      parts: [{ fee: 1, tax: 2 }, {}],
    };
    const real = await startReal({ '/momo/balance': drifted });
    const { code, stdout } = await runReal('check', real, '--fixtures-dir', folder);
    expect(code).toBe(1);
    expect(stdout.split('\n').slice(4, -1).sort()).toEqual([
      '  additive  parts[].tax: expected no member, received integer',
      '  breaking  amount: expected integer, received string (decimal)',
      '  breaking  day: expected string (date), received string',
      '  breaking  done: expected boolean, received string',
      '  breaking  error: expected null, received object',
      '  breaking  fee: expected number, received null',
      '  breaking  id: expected string (UUID), received string',
      '  breaking  note: expected string, received no member',
      '  breaking  parts[].fee: expected integer, received no member',
      '  breaking  total: expected string (decimal), received number',
    ]);
  });

  it('records an object whose names are data as a map', async () => {
    const body = {
      balances: { '22990000001': { amount: 1 }, alice: { amount: 2, note: 'x' } },
      mails: { 'a@b.example': 'd', [`${'n'.repeat(41)}`]: 'e' },
      phone: '22990000001',
    };
    const { schema, fixture, folder } = await recordBalance(body);
    expect(schema).toMatchObject({
      properties: {
        balances: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            properties: { amount: { type: 'integer' }, note: { type: 'string' } },
            required: ['amount'],
          },
        },
        mails: { type: 'object', additionalProperties: { type: 'string' } },
      },
    });
    expect(fixture).toEqual({
      balances: { name: { amount: 100, note: 'text' } },
      mails: { name: 'text' },
      phone: '+22900000001',
    });
    expect(await isServedAndSame(folder, { '/momo/balance': body })).toBe(true);
  });

  it('requires the members that every element has, and allows the members that one has', async () => {
    const { schema } = await recordBalance([{ a: 1, b: 'x' }, { a: 1.5, b: null }, { a: 2 }]);
    expect(schema).toMatchObject({
      type: 'array',
      items: {
        properties: { a: { type: 'number' }, b: { type: ['null', 'string'] } },
        required: ['a'],
      },
    });
  });

  it('reports with --json what it did', async () => {
    const { stdout } = await recordBalance({ balance: [] }, ['--json']);
    expect(JSON.parse(stdout)).toEqual({
      differences: [],
      files: [
        { path: 'momo/balance.get.schema.json', state: 'written' },
        { path: 'momo/balance.get.json', state: 'written' },
      ],
      unknown: ['balance[]'],
    });
  });

  it('adds a new operation, and finds it by any name of its path parameters', async () => {
    const folder = temporaryFolder();
    const real = await startReal({ '/momo/status/7f3a': { status: 'PENDING' } });
    const flags = ['--fixtures-dir', folder, '--query', 'x=1'];
    const reference = ['--operation', 'GET /momo/status/[reference]', '--param', 'reference=7f3a'];
    expect(await runReal('record', real, ...flags, ...reference)).toMatchObject({ code: 0 });
    const files = ['[reference].get.json', '[reference].get.schema.json'];
    expect(readdirSync(join(folder, 'momo/status'))).toEqual(files);
    const id = ['--operation', 'GET /momo/Status/:id', '--param', 'reference=7f3a'];
    const again = await runReal('record', real, ...flags, ...id);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^kept .+\nkept .+\n$/) });
    expect(readdirSync(join(folder, 'momo/status'))).toEqual(files);
    expect(real.requests).toHaveLength(2);
    const which = ['--operation', 'GET /momo/status/:reference', '--param', 'reference=7f3a'];
    expect(await runReal('check', real, ...flags, ...which)).toMatchObject({ code: 0 });
  });

  it('writes the fixture as a variant with --variant', async () => {
    const { folder } = await recordBalance({ balance: [{ amount: 5 }] });
    const second = await recordBalance(
      { balance: [{ amount: 5 }, { amount: 6 }] },
      ['--variant', 'two'],
      folder,
    );
    expect(second).toMatchObject({ code: 0, stderr: '' });
    const mock = await startMock({}, { fixturesDir: folder, variant: 'two' });
    expect((await ask(mock)).json).toEqual({ balance: [{ amount: 100 }] });
  });
});

describe('a second record', () => {
  it('changes nothing if the shape is the same', async () => {
    const { folder, fixture } = await recordBalance({ a: 1, b: 'x' });
    const again = await recordBalance({ b: 'y', a: 2 }, [], folder);
    const stdout = 'kept     momo/balance.get.schema.json\nkept     momo/balance.get.json\n';
    expect(again).toMatchObject({ code: 0, stdout, stderr: '', fixture });
  });

  it('refuses another shape, and overwrites with --force', async () => {
    const { folder, schema, fixture } = await recordBalance({ a: 1, b: ['x'], c: 1 });
    const other = { a: '2.5', b: [null], d: { e: true } };
    const refused = await recordBalance(other, [], folder);
    expect(refused).toMatchObject({ code: 1, stdout: '', schema, fixture });
    expect(refused.stderr).toBe(
      'Failed to record: momo/balance.get.schema.json has another shape. Overwrite it with --force, and see what changed with git diff.\n',
    );
    const forced = await recordBalance(other, ['--force'], folder);
    expect(forced).toMatchObject({
      code: 0,
      stdout: 'written  momo/balance.get.schema.json\nwritten  momo/balance.get.json\n',
      fixture: { a: '100.00', b: [null], d: { e: true } },
    });
    expect(await isServedAndSame(folder, { '/momo/balance': other })).toBe(true);
  });

  it('names lists whose elements are unknown', async () => {
    const { folder, stdout, fixture } = await recordBalance({ list: [], more: [[]] });
    expect(fixture).toEqual({ list: [], more: [[]] });
    expect(stdout.split('\n').slice(2, -1)).toEqual([
      'unknown  list[]: its list is empty. Record it again with --force when it is not.',
      'unknown  more[][]: its list is empty. Record it again with --force when it is not.',
    ]);
    const again = await recordBalance({ list: [1], more: [[2]] }, ['--force'], folder);
    expect(again.stdout).not.toContain('unknown');
    expect(again.fixture).toEqual({ list: [100], more: [[100]] });
  });

  it('does not overwrite a schema with rules that a person wrote', async () => {
    const folder = temporaryFolder();
    const properties = { a: { type: 'integer', minimum: 1 } };
    const schema = { type: 'object', properties, required: ['a'] };
    writeFiles(folder, {
      'momo/balance.get.json': { a: 1 },
      'momo/balance.get.schema.json': schema,
    });
    expect(await recordBalance({ a: 1 }, [], folder)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has another shape'),
      schema,
    });
  });
});

describe('a response whose content type or status a .json file cannot have', () => {
  it.each<{ name: string; headers: Record<string, string>; status: number; head: string }>([
    { name: 'no content type', headers: {}, status: 200, head: 'HTTP/1.1 200\n\n' },
    {
      name: 'plain text',
      headers: { 'content-type': 'text/plain' },
      status: 200,
      head: 'HTTP/1.1 200\ncontent-type: text/plain\n\n',
    },
    {
      name: '202',
      headers: { 'content-type': 'application/json' },
      status: 202,
      head: 'HTTP/1.1 202\ncontent-type: application/json\n\n',
    },
  ])('with $name becomes a .http file that passes check', async ({ headers, status, head }) => {
    const response = sendText('{"a":1}', headers, status);
    const { code, stdout, folder } = await recordBalance(response);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'written  momo/balance.get.schema.json\nwritten  momo/balance.get.http\n',
    });
    const file = join(folder, 'momo/balance.get.http');
    expect(readFileSync(file, 'utf8')).toBe(`${head}{\n  "a": 100\n}\n`);
    const mock = await startMock({}, { fixturesDir: folder });
    const served = await ask(mock);
    expect(served.json).toEqual({ a: 100 });
    expect(served.headers['content-type']).toBe(headers['content-type']);
    expect(await isServedAndSame(folder, { '/momo/balance': response })).toBe(true);
  });

  it('replaces the other kind of file with --force', async () => {
    const { folder } = await recordBalance({ a: 1 });
    const plain = sendText('{"a":1}', {});
    const files = () => readdirSync(join(folder, 'momo')).sort();
    expect(await recordBalance(plain, ['--force'], folder)).toMatchObject({ code: 0 });
    expect(files()).toEqual(['balance.get.http', 'balance.get.schema.json']);
    expect(await recordBalance({ a: 1 }, ['--force'], folder)).toMatchObject({ code: 0 });
    expect(files()).toEqual(['balance.get.json', 'balance.get.schema.json']);
  });
});

describe('existing fixtures', () => {
  it('stay unchanged if they have the shape', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'momo/balance.get.json': { a: 5, own: true } });
    expect(await recordBalance({ a: 1 }, [], folder)).toMatchObject({
      code: 0,
      stdout: 'written  momo/balance.get.schema.json\nkept     momo/balance.get.json\n',
      fixture: { a: 5, own: true },
    });
  });

  it.each<[string, Files, string]>([
    [
      'a default file',
      { 'momo/balance.get.json': { a: 'x' } },
      'balance.get.json: a: expected integer, received string',
    ],
    [
      'a variant',
      { 'momo/balance.get.json': { a: 1 }, 'momo/balance.get.v.json': {} },
      'balance.get.v.json: a: expected integer, received no member',
    ],
    [
      'a whole response',
      { 'momo/balance.get.http': 'HTTP/1.1 200 OK\n\n[]' },
      'balance.get.http: body: expected object, received array',
    ],
    [
      'a scripted response',
      { 'momo/balance.get.json': { a: 1 }, 'momo/balance.get.v.response.json': { body: null } },
      'balance.get.v.response.json: body: expected object, received null',
    ],
  ])('are refused and not overwritten if %s has another shape', async (_what, files, line) => {
    const folder = temporaryFolder();
    writeFiles(folder, files);
    const before = readdirSync(join(folder, 'momo'));
    const { code, stdout, stderr } = await recordBalance({ a: 1 }, [], folder);
    expect({ code, stdout }).toEqual({ code: 1, stdout: `  momo/${line}\n` });
    expect(stderr).toMatch(/^Failed to record: fixtures have another shape\. /);
    expect(readdirSync(join(folder, 'momo'))).toEqual(before);
  });

  it('need no shape if they are errors or handlers', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, {
      'momo/balance.get.js': 'export default () => ({ body: { a: 1 } });',
      'momo/balance.get.gone.http': 'HTTP/1.1 404 Not Found\n\n[]',
      'momo/balance.get.down.response.json': { status: 503, body: null },
    });
    expect(await recordBalance({ a: 1 }, [], folder)).toMatchObject({
      code: 0,
      stdout: 'written  momo/balance.get.schema.json\nkept     momo/balance.get.js\n',
    });
    await startMock({}, { fixturesDir: folder });
  });

  it('need a default file of the shape for a variant', async () => {
    const shipped = await recordBalance({ a: 1 }, ['--variant', 'v']);
    expect(shipped).toMatchObject({ code: 1, stderr: expect.stringContaining('another shape') });
    expect(readdirSync(shipped.folder)).toEqual([]);
    const real = await startReal({ '/momo/x': {} });
    const args = [
      '--operation',
      'GET /momo/x',
      '--variant',
      'v',
      '--fixtures-dir',
      temporaryFolder(),
    ];
    const { code, stderr } = await runReal('record', real, ...args);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Failed to record: a variant needs a default file. Record without --variant first.\n',
    });
  });
});

describe('record writes nothing', () => {
  it('if the response has too many different members', async () => {
    const inner = (index: number) =>
      Object.fromEntries(Array.from({ length: 900 }, (_, one) => [`n${index}_${one}`, 1]));
    const body = Array.from({ length: 6 }, (_, index) => index);
    const names = Object.fromEntries(body.map((index) => [`o${index}`, inner(index)]));
    const { code, stderr, folder } = await recordBalance(names);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'Failed to record: the response has more than 5000 members. Request fewer items, such as with --query limit=10, or write the schema by hand.\n',
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['momo', 'momo/balance.get.schema.json'])('through the link %s', async (link) => {
    const folder = temporaryFolder();
    const outside = temporaryFolder();
    const target = link === 'momo' ? outside : join(outside, 'schema.json');
    writeFiles(outside, { 'schema.json': '{"mine":1}' });
    mkdirSync(dirname(join(folder, link)), { recursive: true });
    symlinkSync(target, join(folder, link));
    const { code } = await recordBalance({ a: 1 }, ['--force'], folder);
    expect(code).toBeGreaterThan(0);
    expect(readdirSync(outside)).toEqual(['schema.json']);
    expect(readFileSync(join(outside, 'schema.json'), 'utf8')).toBe('{"mine":1}');
  });

  it('if the key is the name of a member', async () => {
    const folder = temporaryFolder();
    const real = await startRealServer(sendText('{"a":{"plain-key":1}}'));
    const env = { MOMO_MOCK_REAL_KEY: 'plain-key' };
    const ended = await run(['record', ...real.flags, '--fixtures-dir', folder], { env });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /^Failed to record: .+balance\.get\.json would contain the key\. /,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('and shows no key in its sentence, even one that is the name of a folder', async () => {
    const folder = join(temporaryFolder(), 'plain-key');
    writeFiles(folder, { 'momo/balance.get.json': { a: 'x' } });
    const real = await startRealServer(sendText('{"a":1}'));
    const args = ['record', ...real.flags, '--fixtures-dir', folder];
    const env = { MOMO_MOCK_REAL_KEY: 'plain-key' };
    const unfit = await run(args, { env });
    expect(unfit).toMatchObject({ code: 1, stdout: expect.stringContaining('/[redacted]/momo/') });
    expect(unfit.stdout).not.toContain('plain-key');
    writeFiles(folder, { 'momo/balance.get.schema.json': { type: 'object' } });
    const other = await run(args, { env });
    expect(other.stderr).toMatch(/^Failed to record: .+\/\[redacted\]\/momo\//);
    expect(other.stderr).not.toContain('plain-key');
  });

  it.each<[string, unknown, string]>([
    [
      'refuses the key',
      sendText('{}', {}, 401),
      'the real service refused the key (401). Correct MOMO_MOCK_REAL_KEY.',
    ],
    [
      'responds with another status',
      sendText('', {}, 404),
      'the real service responded with 404. Correct the operation, --param or --query.',
    ],
    [
      'sends HTML',
      sendText('<html>'),
      'the body is not JSON, or has more than 100 levels. Record it with curl -i, as docs/fixtures.md shows.',
    ],
  ])('and ends with exit code 3 if the service %s', async (_what, response, sentence) => {
    const { code, stdout, stderr, folder } = await recordBalance(response);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toBe(`Failed to record GET /momo/balance: ${sentence}\n`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['mkdir', 'writeFile', 'rename'] as const)(
    'and ends with exit code 3 if %s fails',
    async (name) => {
      const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
      replaceBuiltin(fs, name, () => Promise.reject(full));
      const { code, stdout, stderr, folder } = await recordBalance({ a: 1 });
      const path = 'momo/balance.get.json';
      expect({ code, stdout, stderr }).toEqual({
        code: 3,
        stdout: '',
        stderr: `Failed to write ${path}: ENOSPC. Use a writable folder.\n`,
      });
      expect(readdirSync(folder, { recursive: true }).filter((one) => one !== 'momo')).toEqual([]);
    },
  );
});
