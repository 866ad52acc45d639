import { describe, expect, it } from 'vitest';
import { type Sent, send } from '../support/client.ts';
import { problemsOf, startMock, type TestMock } from '../support/mock.ts';
import type { MomoStartOptions } from '../support/momo-mock.ts';

const TOKEN = `export const open = true;
export default async ({ headers, query, body }, { account, state, now }) => {
  await state.set('tokens', ((await state.get('tokens')) ?? 0) + 1);
  return { body: { headers, query, body, account, tokens: await state.get('tokens'), now: now() } };
};`;
const COUNT = `export default async (request, { state }) => ({ body: { tokens: await state.get('tokens') } });`;
const FILES = { 'token.post.js': TOKEN, 'count.get.js': COUNT };
const OPTIONS: MomoStartOptions = { keyIn: 'bearer', apiKeys: ['first', 'second'] };
const bearer = (token: string): Sent => ({ headers: { authorization: `Bearer ${token}` } });

async function token(mock: TestMock, sent: Sent = {}): Promise<Record<string, unknown>> {
  const { status, json } = await send(mock, '/token', { method: 'POST', ...sent });
  return { ...(json as object), status };
}

it('an open operation responds without a key, with the state of all accounts', async () => {
  const mock = await startMock(FILES, OPTIONS);
  const credentials = { authorization: `Basic ${btoa('shop:pass')}` };
  const first = await token(mock, { headers: credentials, body: { a: 1 } });
  expect(first).toMatchObject({ status: 200, tokens: 1, account: { id: '', variant: null } });
  expect(first).toMatchObject({ headers: credentials, body: { a: 1 } });
  expect(await token(mock, bearer('unknown'))).toMatchObject({ tokens: 2 });
  const { json } = await send(mock, '/count', bearer('second'));
  expect(json).toEqual({ tokens: 2 });
  const [entry] = await mock.requests({ operation: 'POST /token' });
  expect(entry).toMatchObject({ account: null, status: 200, source: 'handler', reason: null });
  expect(JSON.stringify(await mock.requests())).not.toMatch(/shop:pass|c2hvcDpwYXNz/);
});

it('an open operation with a valid key has the state of the account, and not the key', async () => {
  const mock = await startMock(FILES, OPTIONS);
  await token(mock);
  const own = await token(mock, bearer('second'));
  expect(own).toMatchObject({ tokens: 2, account: { id: 'account-2' } });
  expect(own.headers).not.toHaveProperty('authorization');
  expect(await token(mock)).toMatchObject({ tokens: 2 });
});

it('an open operation has the clock of all accounts', async () => {
  const mock = await startMock(FILES, OPTIONS);
  const { now: before } = await token(mock);
  await mock.advance(3_600_000);
  expect(Number((await token(mock)).now)).toBeGreaterThanOrEqual(Number(before) + 3_600_000);
});

it('an open operation gets the responses that are scripted for all accounts', async () => {
  const mock = await startMock(FILES, OPTIONS);
  await mock.respondWith({ operation: 'POST /token', status: 503 });
  expect(await token(mock)).toMatchObject({ status: 503 });
  expect(await token(mock)).toMatchObject({ status: 200 });
  await mock.respondWith({ operation: 'POST /token', headers: { 'x-a': 'b' }, delay: 1 });
  expect(await token(mock)).toMatchObject({ status: 200, tokens: 2 });
});

it('an open operation does not open any other operation', async () => {
  const mock = await startMock(FILES, OPTIONS);
  expect((await send(mock, '/count')).status).toBe(401);
  expect((await send(mock, '/token')).status).toBe(401);
  expect((await send(mock, '/momo/balance')).status).toBe(401);
  expect((await send(mock, '/nothing')).status).toBe(401);
});

it('an open operation checks the request, unless its response is scripted before the key check', async () => {
  const required = {
    type: 'object',
    required: ['body'],
    properties: { body: { required: ['grant'] } },
  };
  const mock = await startMock({ ...FILES, 'token.post.request.schema.json': required }, OPTIONS);
  expect(await token(mock, { body: { x: 1 } })).toMatchObject({ status: 400 });
  expect(await token(mock, { body: { grant: 1 } })).toMatchObject({ status: 200 });
  await mock.respondWith({ operation: 'POST /token', status: 503, beforeKeyCheck: true });
  expect(await token(mock, { body: { x: 1 } })).toMatchObject({ status: 503 });
});

it('/health lists the open operations, also after a reload', async () => {
  const mock = await startMock(FILES, { ...OPTIONS, control: true });
  const health = await (await fetch(`${mock.controlUrl}/health`)).json();
  expect(health).toMatchObject({ openOperations: ['POST /token'] });
});

describe('a startup', () => {
  it.each<[what: string, files: Record<string, string>, says: string]>([
    [
      'a value that is not a boolean',
      { 'token.post.js': TOKEN.replace('true', "'yes'") },
      'token.post.js: its export open is not a boolean. Write export const open = true, or remove it.',
    ],
    [
      'a variant',
      { 'token.post.json': '{}', 'token.post.late.js': TOKEN },
      "token.post.late.js: only a default file can export open. Export it from the operation's default file, NAME.METHOD.js.",
    ],
    [
      'an error',
      { 'errors/503.js': TOKEN },
      "errors/503.js: only a default file can export open. Export it from the operation's default file, NAME.METHOD.js.",
    ],
  ])('refuses to open %s', async (_what, files, says) => {
    expect(await problemsOf(files)).toEqual([expect.stringContaining(says)]);
  });

  it('accepts a handler whose open is false', async () => {
    const mock = await startMock({ 'token.post.js': TOKEN.replace('true', 'false') });
    expect((await send(mock, '/token', { method: 'POST' })).status).toBe(401);
  });
});
