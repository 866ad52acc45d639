import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { serviceAppOf, shippedTree, treeOf } from './service-app.ts';

test('no answer is compressed, whatever the client accepts', async () => {
  const { ask } = await serviceAppOf(await shippedTree());
  const file = await readFile('fixtures/momo/balance.get.json', 'utf8');
  for (const accepted of ['gzip', 'br', 'deflate', 'zstd', 'gzip;q=1.0, *;q=0']) {
    const headers = { 'accept-encoding': accepted };
    const reply = await ask('GET', '/momo/balance?apikey=good', { headers });
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect(reply.body).toBe(file.trimEnd());
  }
});

test.each([
  ['single', 'balance'],
  ['per-operator', 'balances'],
  ['flat', 'currency'],
  ['empty', 'balance'],
])('the shipped variant %s is a balance of another shape', async (variant, field) => {
  const tree = await shippedTree();
  const { ask, mock } = await serviceAppOf(tree);
  mock.accounts.create('other', variant);
  const body = JSON.parse((await ask('GET', '/momo/balance?apikey=other')).body);
  const usual = JSON.parse((await ask('GET', '/momo/balance?apikey=good')).body);
  expect(body).toHaveProperty(field);
  expect(body).not.toEqual(usual);
  for (const entry of usual.balance) expect(Object.keys(entry)).toEqual(['amount', 'currency']);
  expect(tree.operations[0]?.variants.size).toBe(4);
});

test('every shipped error has success, code and message', async () => {
  const { errors } = await shippedTree();
  expect([...errors.keys()].sort()).toEqual([400, 401, 404, 405, 408, 431, 500, 503]);
  for (const { body } of errors.values()) {
    expect(JSON.parse(String(body))).toEqual({
      success: false,
      code: expect.any(String),
      message: expect.any(String),
    });
  }
});

test('a thousand requests in a row are all answered', async () => {
  const { ask } = await serviceAppOf(await shippedTree());
  const statuses = new Set<number>();
  for (let count = 0; count < 1000; count++) {
    statuses.add((await ask('GET', '/momo/balance?apikey=good')).status);
  }
  expect([...statuses]).toEqual([200]);
});

test('of several mistakes the first decides: 400, 401, 404, 405', async () => {
  const { ask } = await serviceAppOf(treeOf('GET /momo/balance'));
  const statusOf = async (method: string, url: string) => (await ask(method, url)).status;
  expect(await statusOf('POST', '/nothing%zz')).toBe(400);
  expect(await statusOf('POST', '/momo/balance?x=%zz')).toBe(400);
  expect(await statusOf('POST', '/nothing')).toBe(401);
  expect(await statusOf('POST', '/momo/balance')).toBe(401);
  expect(await statusOf('POST', '/nothing?apikey=good')).toBe(404);
  expect(await statusOf('POST', '/momo/balance?apikey=good')).toBe(405);
});

test('a parameter answers its method beside fixed text for another one', async () => {
  const { ask } = await serviceAppOf(treeOf('GET /a/[x]', 'POST /a/b'));
  expect(await ask('GET', '/a/b?apikey=good')).toMatchObject({ status: 200, body: 'GET /a/:x' });
  expect(await ask('POST', '/a/b?apikey=good')).toMatchObject({ status: 200, body: 'POST /a/b' });
  const { status, headers } = await ask('PUT', '/a/b?apikey=good');
  expect(status).toBe(405);
  expect(headers.allow).toContain('POST');
});
