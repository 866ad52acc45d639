import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceBuiltin } from '../support/builtin.ts';
import { ask } from '../support/client.ts';
import { emptyFolder, run } from '../support/command-in-process.ts';
import { type Files, writeFiles } from '../support/fixture-folder.ts';
import { startMock } from '../support/mock.ts';
import {
  type Answers,
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
  folder = emptyFolder(),
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
async function isServedAndSame(folder: string, answers: Answers): Promise<boolean> {
  await startMock({}, { fixturesDir: folder });
  const real = await startReal(answers);
  return (await runReal('check', real, '--fixtures-dir', folder)).code === 0;
}

describe('record', () => {
  it('writes a schema and made-up values of the same formats, which a mock serves', async () => {
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
      fee: 200.5,
      total: '100.00',
      day: '2001-01-01',
      at: '2001-01-01T00:00:00.000Z',
      link: 'https://host-1.example/',
      mail: 'user-1@host-1.example',
      phone: '+22900000001',
      payer: '22900000002',
      currency: expect.stringMatching(/^[A-Z]{3}$/),
      note: 'text 1',
      done: true,
      error: null,
    });
    const mock = await startMock({}, { fixturesDir: folder });
    expect((await ask(mock)).json).toEqual(fixture);
    expect(await isServedAndSame(folder, { '/momo/balance': DEPOSIT })).toBe(true);
  });

  it('finds ten ways in which a service has drifted since', async () => {
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

  it('replaces the same original by the same value everywhere, and never by an original', async () => {
    const { fixture } = await recordBalance({
      list: [
        { id: 'a', amount: 100 },
        { id: 'b', amount: 200 },
        { id: 'a', amount: 100 },
      ],
      first: 'a',
      texts: ['text 1', 'host-1.example'],
      link: 'https://pay.example/',
    });
    expect(fixture).toEqual({
      list: [
        { id: 'text 2', amount: 300 },
        { id: 'text 3', amount: 400 },
        { id: 'text 2', amount: 300 },
      ],
      first: 'text 2',
      texts: ['text 4', 'text 5'],
      link: 'https://host-2.example/',
    });
  });

  it('takes an object whose names are data as a map', async () => {
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
      balances: { '22900000001': { amount: 100 }, 'text 1': { amount: 200, note: 'text 2' } },
      mails: { 'user-1@host-1.example': 'text 3', 'text 4': 'text 5' },
      phone: '22900000001',
    });
    expect(await isServedAndSame(folder, { '/momo/balance': body })).toBe(true);
  });

  it('requires what each element has, and allows all that one has', async () => {
    const { schema } = await recordBalance([{ a: 1, b: 'x' }, { a: 1.5, b: null }, { a: 2 }]);
    expect(schema).toMatchObject({
      type: 'array',
      items: {
        properties: { a: { type: 'number' }, b: { type: ['null', 'string'] } },
        required: ['a'],
      },
    });
  });

  it('--keep keeps the values at a path', async () => {
    const body = {
      message: '',
      balance: [
        { amount: 5, currency: 'XOF' },
        { amount: 6, currency: 'XAF' },
      ],
    };
    const { fixture } = await recordBalance(body, [
      '--keep',
      'message',
      '--keep',
      'balance[].currency',
    ]);
    expect(fixture).toEqual({
      message: '',
      balance: [
        { amount: 100, currency: 'XOF' },
        { amount: 200, currency: 'XAF' },
      ],
    });
  });

  it('--json says what it did', async () => {
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

  it('adds a new operation, and finds it by any name of its parameters', async () => {
    const folder = emptyFolder();
    const real = await startReal({ '/momo/status/7f3a': { status: 'PENDING' } });
    const flags = ['--fixtures-dir', folder, '--query', 'x=1'];
    const reference = ['--operation', 'GET /momo/status/[reference]', '--param', 'reference=7f3a'];
    expect(await runReal('record', real, ...flags, ...reference)).toMatchObject({ code: 0 });
    const files = ['[reference].get.json', '[reference].get.schema.json'];
    expect(readdirSync(join(folder, 'momo/status'))).toEqual(files);
    const id = ['--operation', 'GET /momo/Status/:id', '--param', 'reference=7f3a', '--merge'];
    const again = await runReal('record', real, ...flags, ...id);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^kept .+\nkept .+\n$/) });
    expect(readdirSync(join(folder, 'momo/status'))).toEqual(files);
    expect(real.requests).toHaveLength(2);
    const which = ['--operation', 'GET /momo/status/:reference', '--param', 'reference=7f3a'];
    expect(await runReal('check', real, ...flags, ...which)).toMatchObject({ code: 0 });
  });

  it('--variant writes the fixture as a variant', async () => {
    const { folder } = await recordBalance({ balance: [{ amount: 5 }] });
    const second = await recordBalance(
      { balance: [{ amount: 5 }, { amount: 6 }] },
      ['--variant', 'two'],
      folder,
    );
    expect(second).toMatchObject({ code: 0, stderr: '' });
    const mock = await startMock({}, { fixturesDir: folder, balanceVariant: 'two' });
    expect((await ask(mock)).json).toEqual({ balance: [{ amount: 100 }, { amount: 200 }] });
  });
});

describe('record again', () => {
  it('changes nothing if the shape is the same', async () => {
    const { folder, fixture } = await recordBalance({ a: 1, b: 'x' });
    const again = await recordBalance({ b: 'y', a: 2 }, [], folder);
    const stdout = 'kept     momo/balance.get.schema.json\nkept     momo/balance.get.json\n';
    expect(again).toMatchObject({ code: 0, stdout, stderr: '', fixture });
  });

  it('refuses another shape, shows how it differs, and overwrites with --force', async () => {
    const { folder, schema, fixture } = await recordBalance({ a: 1, b: ['x'], c: 1 });
    const other = { a: '2.5', b: [null], d: { e: true } };
    const refused = await recordBalance(other, [], folder);
    const lines = `  a: was integer, is string (decimal)
  b[]: was string, is null
  c: was integer, is no member
  d: was no member, is object
  d.e: was no member, is boolean
`;
    expect(refused).toMatchObject({ code: 1, stdout: lines, schema, fixture });
    expect(refused.stderr).toBe(
      'Failed to record: momo/balance.get.schema.json has another shape. Widen it with --merge, or replace it with --force.\n',
    );
    const forced = await recordBalance(other, ['--force'], folder);
    expect(forced).toMatchObject({
      code: 0,
      stdout: `${lines}written  momo/balance.get.schema.json\nwritten  momo/balance.get.json\n`,
      fixture: { a: '100.0', b: [null], d: { e: true } },
    });
    expect(await isServedAndSame(folder, { '/momo/balance': other })).toBe(true);
  });

  it('--merge widens the schema, so that both answers have its shape', async () => {
    const first = { id: '2026-01-31', list: [], note: null, sum: 1, more: { a: 1 } };
    const { folder, stdout } = await recordBalance(first);
    expect(stdout).toContain(
      'unknown  list[]: its list is empty. Record it again with --merge when it is not.\n',
    );
    const second = { id: 'x', list: [{ a: 1 }], note: 'n', sum: 1.5, more: { '22990000001': 5 } };
    const merged = await recordBalance(second, ['--merge'], folder);
    expect(merged).toMatchObject({ code: 0, stderr: '' });
    expect(merged.stdout).toBe(`  id: was string (date), is string
  note: was null, is null or string
  sum: was integer, is number
  more.a: was integer, is no member
  list[]: was no member, is object
  list[].a: was no member, is integer
  more.*: was no member, is integer
written  momo/balance.get.schema.json
kept     momo/balance.get.json
`);
    for (const body of [first, second]) {
      expect(await isServedAndSame(folder, { '/momo/balance': body })).toBe(true);
    }
    const third = await recordBalance({ sum: 5 }, ['--merge'], folder);
    expect(third.schema).toMatchObject({ required: ['sum'] });
    expect(await isServedAndSame(folder, { '/momo/balance': first })).toBe(true);
  });

  it('--merge leaves a schema alone that has rules of a person', async () => {
    const folder = emptyFolder();
    const properties = { a: { type: 'integer', minimum: 1 } };
    const schema = { type: 'object', properties, required: ['a'] };
    writeFiles(folder, {
      'momo/balance.get.json': { a: 1 },
      'momo/balance.get.schema.json': schema,
    });
    const refused = await recordBalance({ a: 1 }, ['--merge'], folder);
    expect(refused).toMatchObject({ code: 1, schema });
    expect(refused.stderr).toBe(
      'Failed to merge: momo/balance.get.schema.json has rules that record does not write. Change it by hand, or replace it with --force.\n',
    );
    expect(await recordBalance({ a: 1 }, [], folder)).toMatchObject({
      code: 1,
      stdout: '  body: had rules other than types and formats\n',
      schema,
    });
  });
});

describe('fixtures that are there', () => {
  it('stay as they are if they have the shape', async () => {
    const folder = emptyFolder();
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
  ])('%s that has another one is refused, and nothing is written', async (_what, files, line) => {
    const folder = emptyFolder();
    writeFiles(folder, files);
    const before = readdirSync(join(folder, 'momo'));
    const { code, stdout, stderr } = await recordBalance({ a: 1 }, [], folder);
    expect({ code, stdout }).toEqual({ code: 1, stdout: `  momo/${line}\n` });
    expect(stderr).toMatch(/^Failed to record: fixtures have another shape\. /);
    expect(readdirSync(join(folder, 'momo'))).toEqual(before);
  });

  it('errors and handlers need no shape', async () => {
    const folder = emptyFolder();
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

  it('a variant needs a default file of the shape', async () => {
    const shipped = await recordBalance({ a: 1 }, ['--variant', 'v']);
    expect(shipped).toMatchObject({ code: 1, stderr: expect.stringContaining('another shape') });
    expect(readdirSync(shipped.folder)).toEqual([]);
    const real = await startReal({ '/momo/x': {} });
    const args = ['--operation', 'GET /momo/x', '--variant', 'v', '--fixtures-dir', emptyFolder()];
    const { code, stderr } = await runReal('record', real, ...args);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Failed to record: a variant needs a default file. Record without --variant first.\n',
    });
  });
});

describe('nothing is written', () => {
  it('if each made-up value would contain an original', async () => {
    const body = { domain: '.example', link: 'https://pay.test/' };
    const { code, stderr, folder } = await recordBalance(body);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'Failed to record: the fixture would contain values of the real service, at link. If they are no secret, allow them with --keep. Otherwise, write the fixture by hand.\n',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('if the key is the name of a member', async () => {
    const folder = emptyFolder();
    const real = await startRealServer(sendText('{"a":{"plain-key":1}}'));
    const env = { MOMO_MOCK_REAL_KEY: 'plain-key' };
    const ended = await run(['record', ...real.flags, '--fixtures-dir', folder], { env });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /^Failed to record: .+balance\.get\.json would contain the key\. /,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    [
      'refuses the key',
      sendText('{}', {}, 401),
      'the real service refused the key (401). Correct MOMO_MOCK_REAL_KEY.',
    ],
    ['limits requests', sendText('', {}, 429), 'the real service answered 429. Try again later.'],
    [
      'answers otherwise',
      sendText('', {}, 404),
      'the real service answered 404. Correct the operation, --param or --query.',
    ],
    [
      'redirects',
      sendText('', { location: '/' }, 302),
      'the real service answered 302. Correct the operation, --param or --query.',
    ],
    [
      'sends HTML',
      sendText('<html>'),
      'the body is not JSON, or has more than 100 levels. Record it with curl -i, as docs/fixtures.md shows.',
    ],
  ])('if the service %s: 3', async (_what, answer, sentence) => {
    const { code, stdout, stderr, folder } = await recordBalance(answer);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toBe(`Failed to record GET /momo/balance: ${sentence}\n`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['mkdir', 'writeFile', 'rename'] as const)('if %s fails: 3', async (name) => {
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
  });
});
