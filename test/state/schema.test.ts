import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { problemsOf, startMock, type TestMock } from '../support/mock.ts';

const SCHEMA = {
  properties: {
    $schema: { type: 'string' },
    outcomes: { type: 'object', additionalProperties: { enum: [200, 404] } },
    'limits/daily': { type: 'integer' },
    limit: { type: 'integer', minimum: 0 },
  },
  patternProperties: {
    '^deposits/.': { $ref: '#/definitions/deposit' },
    '^days/\\d{4}$': { type: 'integer' },
  },
  additionalProperties: false,
  definitions: {
    deposit: {
      type: 'object',
      properties: { status: { enum: ['pending', 'success'] } },
      required: ['status'],
    },
  },
};

/** A handler that writes what it is told. */
const FILES = {
  'state.schema.json': SCHEMA,
  'set.post.js': `export default async ({ body }, { state }) => {
    for (const [name, value] of Object.entries(body)) await state.set(name, value);
  };`,
};

const refused = (text: string) => ({
  code: 'MOMO_MOCK_STATE_INVALID',
  message: expect.stringContaining(text),
});

const handle = (of: Pick<TestMock, 'url' | 'ca' | 'apiKey'>, body: object) =>
  ask(of, '/set', { method: 'POST', body });

it.each<[name: string, value: unknown, problem: string]>([
  ['outcome', {}, '"outcome" is not in FILE. Did you mean "outcomes"?'],
  ['deposit/7f3a', {}, '"deposit/7f3a" is not in FILE. Did you mean "deposits/7f3a"?'],
  ['limits/dayly', 1, '"limits/dayly" is not in FILE. Did you mean "limits/daily"?'],
  ['days/1', 1, '"days/1" is not in FILE. Use a name that matches ^days/\\d{4}$.'],
  [
    'x',
    1,
    '"x" is not in FILE. Use one of outcomes, limits/daily, limit, deposits/, days/, or add it to',
  ],
  ['$schema', 1, '"$schema" is not in FILE.'],
  ['limit', 1.5, '/limit must be integer, as required by FILE.'],
  ['limit', -1, '/limit must be >= 0, as required by FILE.'],
  [
    'outcomes',
    { 229: 999 },
    '/outcomes/229 must be equal to one of the allowed values ([200,404])',
  ],
  ['deposits/a', {}, "/deposits/a must have required property 'status', as required by FILE."],
  ['deposits/a', { status: 'paid' }, '/deposits/a/status must be equal to one of the allowed'],
])('refuses %s: %j from a test, by each way to write it', async (name, value, problem) => {
  const mock = await startMock(FILES);
  const expected = refused(
    `Failed to write the state: ${problem.replace('FILE', join(mock.folder, 'state.schema.json'))}`,
  );
  const account = await mock.createAccount();
  for (const { state } of [mock, account]) {
    const writes = [
      state.set(name, value),
      state.update(name, () => value),
      state.transaction((draft) => {
        draft.set('deposits/good', { status: 'pending' });
        draft.set(name, value);
      }),
    ];
    for (const write of writes) await expect(write).rejects.toMatchObject(expected);
    expect(await state.list()).toEqual({});
  }
  const created = mock.createAccount({ state: { [name]: value } });
  await expect(created).rejects.toMatchObject(expected);
});

it('accepts what satisfies it, keeps the digits of numbers, and lets a name be deleted', async () => {
  const mock = await startMock(FILES);
  const { state, ...account } = await mock.createAccount({ state: { 'days/2026': 1 } });
  await state.set('limit', 12345678901234567890n);
  await state.set('deposits/a/b', { status: 'pending', amount: 500 });
  await state.update('deposits/a/b', (deposit) => ({ ...deposit, status: 'success' }));
  expect(await state.get('deposits/a/b')).toEqual({ status: 'success', amount: 500 });
  expect(JSON.stringify(await account.snapshot())).toContain('12345678901234567890');
  await state.delete('limit');
  await state.delete('unknown');
  expect(Object.keys(await state.list())).toEqual(['days/2026', 'deposits/a/b']);
});

it('checks what handlers write under its names, and never refuses their other names', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  expect((await handle(account, { cursor: 1, limit: 5 })).status).toBe(200);
  expect(await account.state.list()).toEqual({ cursor: 1, limit: 5 });
  expect((await handle(account, { limit: 'all' })).status).toBe(500);
  expect(await account.requests({ limit: 1 })).toMatchObject([{ reason: 'handler-failed' }]);
  expect(await account.state.get('limit')).toBe(5);
  // The test cannot write a handler's own name, and reads and deletes it.
  await expect(account.state.set('cursor', 2)).rejects.toMatchObject(refused('"cursor" is not'));
  await account.state.delete('cursor');
  expect(await account.state.get('cursor')).toBeUndefined();
});

it('refuses no unknown name if it does not say so, and guards all of them if it says how', async () => {
  const { additionalProperties: _, ...open } = SCHEMA;
  const mock = await startMock({ 'state.schema.json': open });
  await mock.state.set('other', 'text');
  await expect(mock.state.set('limit', 'text')).rejects.toMatchObject(refused('/limit must'));
  const guarded = { ...open, additionalProperties: { type: 'integer' } };
  const other = await startMock({ ...FILES, 'state.schema.json': guarded });
  await other.state.set('other', 1);
  await expect(other.state.set('other', 'x')).rejects.toMatchObject(refused('/other must be int'));
  expect((await handle(other, { other: 'x' })).status).toBe(500);
});

it('lets a snapshot have unknown names, which are of handlers, and refuses wrong values', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount({ state: { limit: 7 } });
  await handle(account, { cursor: 1, limit: 5 });
  const [one, all] = [await account.snapshot(), await mock.snapshot()];
  await account.restore(one);
  await mock.restore(all);
  expect(await account.state.get('cursor')).toBe(1);
  const wrong = (snapshot: object, from: string) =>
    JSON.parse(JSON.stringify(snapshot).replace(`"limit","json":"${from}"`, '"limit","json":"-1"'));
  const problem = (place: string) => ({
    code: 'MOMO_MOCK_SNAPSHOT_INVALID',
    message: expect.stringContaining(
      `${place}: Failed to write the state: /limit must be >= 0, as required by `,
    ),
  });
  const ofOne = account.restore(wrong(one, '5'));
  await expect(ofOne).rejects.toMatchObject(problem('account.state[0]'));
  const ofAll = mock.restore(wrong(all, '7'));
  await expect(ofAll).rejects.toMatchObject(problem('.initial.state[0]'));
  expect(await account.state.get('limit')).toBe(5);
});

it('shows no key in what it refuses', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount({ apiKey: 'sekret-of-ada' });
  for (const [name, value] of [
    ['sekret-of-ada', 1],
    ['deposits/sekret-of-ada', {}],
    ['outcomes', { 'sekret-of-ada': 999 }],
  ] as const) {
    const error = await account.state.set(name, value).catch(({ message }) => message);
    expect(error).toMatch(/^Failed to write the state: /);
    expect(error).not.toContain('sekret');
  }
});

describe('state.schema.json', () => {
  it('guards PUT and PATCH /state, and POST /accounts, with 422', async () => {
    const mock = await startMock(FILES, { control: true });
    for (const [line, body] of [
      ['PUT /state/outcome', {}],
      ['PATCH /state', { set: { 'deposits/a': { status: 'success' }, outcome: {} } }],
      ['POST /accounts', { state: { outcome: {} } }],
    ] as const) {
      const { status, json } = await control(mock, line, { method: line.split(' ')[0], body });
      const error = refused('Did you mean "outcomes"?');
      expect([status, json]).toMatchObject([422, { error }]);
    }
    expect(await mock.state.list()).toEqual({});
  });

  it('guards state.json, with the place of each mistake', async () => {
    const files = {
      'state.schema.json': SCHEMA,
      'state.json': '{\n "$schema": "x",\n "outcome": {},\n "outcomes": { "1": 200, "2": 999 }\n}',
    };
    expect(await problemsOf(files)).toEqual([
      'Failed to read state.json:3:13: "outcome" is not in state.schema.json. Did you mean "outcomes"?',
      'Failed to read state.json:4:31: /outcomes/2 must be equal to one of the allowed values ([200,404]), as required by state.schema.json. Change one of the two files.',
    ]);
  });

  it('is merged by name over the layers, as state.json is', async () => {
    const mock = await startMock(
      {
        // Draft-07, as the one of the preset.
        'state.schema.json': {
          properties: { mine: { type: 'string' }, limitUnnamed: { type: 'string' } },
        },
        'state.json': { mine: 'x', limitUnnamed: 'never' },
      },
      { preset: 'chipdeals' },
    );
    await mock.state.set('mine', 'y');
    await mock.state.set('outcomes', { 22951010200: 460 });
    const own = join(mock.folder, 'state.schema.json');
    await expect(mock.state.set('mine', 1)).rejects.toMatchObject(
      refused(`/mine must be string, as required by ${own}.`),
    );
    await expect(mock.state.set('outcome', 1)).rejects.toMatchObject(
      refused('presets/chipdeals/fixtures/state.schema.json. Did you mean "outcomes"?'),
    );
  });

  it.each<[schema: unknown, problem: string]>([
    [[], ':1:1: it is not an object. Write the schema of an object, such as {"properties"'],
    [{ type: 'array' }, ':1:9: its type is not "object"'],
    [{ required: [] }, ':1:13: "required" cannot guard the whole state: each value is checked by'],
    [{ properties: 1 }, ':1:15: properties is not an object.'],
    [{ properties: { a: { type: 'intger' } } }, ': it is not a usable JSON Schema ('],
    [{ properties: { a: { $ref: 'other.json' } } }, ': it is not a usable JSON Schema ('],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, ': its $schema is neither draft-07'],
  ])('is refused at startup if it is %j', async (schema, problem) => {
    const [first, ...others] = await problemsOf({ 'state.schema.json': JSON.stringify(schema) });
    expect(first).toContain(`Failed to read state.schema.json${problem}`);
    expect(others).toEqual([]);
  });

  it('may say that there are no names at all', async () => {
    const mock = await startMock({ 'state.schema.json': { additionalProperties: false } });
    await expect(mock.state.set('limit', 1)).rejects.toMatchObject(
      refused(`"limit" is not in ${join(mock.folder, 'state.schema.json')}. Add it to properties.`),
    );
  });

  it('has one draft in all layers', async () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    const [problem] = await problemsOf(
      { 'state.schema.json': { $schema } },
      { preset: 'chipdeals' },
    );
    expect(problem).toMatch(
      /^Failed to read state.schema.json:1:1: its draft is not the one of .*presets.chipdeals/,
    );
  });

  it('is read again when it changes', async () => {
    const mock = await startMock(FILES, { watch: true });
    const properties = { outcome: {} };
    writeFiles(mock.folder, { 'state.schema.json': { properties, additionalProperties: false } });
    const set = () => mock.state.set('outcome', 1).catch(({ code }) => code);
    await expect.poll(set).toBeUndefined();
    await expect(mock.state.set('limit', 1)).rejects.toMatchObject(refused('"limit" is not in'));
  });

  it('drops from a snapshot file only the values that no longer fit', async () => {
    const snapshotFile = join(temporaryFolder(), 'snapshot.json');
    const before = await startMock({}, { snapshotFile });
    await before.state.set('limit', 'all');
    await before.state.set('days/2026', 1);
    const { apiKey } = await before.createAccount({ state: { limit: -1, 'days/2027': 2 } });
    await before.close();
    const mock = await startMock(FILES, { snapshotFile, control: true });
    expect(await mock.state.list()).toEqual({ 'days/2026': 1 });
    const headers = { apikey: apiKey };
    await control(mock, 'POST /reset', { method: 'POST', headers });
    const { json } = await control(mock, 'GET /state', { headers });
    expect(json).toEqual({ 'days/2026': 1, 'days/2027': 2 });
  });
});
