import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { problemsOf, startMock, type TestMock } from '../support/mock.ts';
import type { ScriptedResponse } from '../support/momo-mock.ts';
import { startWebhook } from '../support/webhook.ts';

const PAY = 'POST /momo/pay';
const FILES = {
  'momo/pay.post.js': `export default async ({ query }, { state, after, webhook }) => {
    await state.set('paid', (await state.get('paid') ?? 0) + 1);
    if (query.fails) throw new Error('broken');
    after(1000, () => state.set('done', true));
    if (query.url) webhook({ url: query.url, body: 'handler' });
    return { status: 201, headers: { 'x-from': 'handler' }, body: { from: 'handler' }, fault: query.fault };
  };`,
  'momo/pay.post.lost.response.json': { status: 502, body: '<html>', afterHandler: true },
  'momo/fixed.post.response.json': { status: 201, body: { id: 1 } },
  'errors/503.json': { code: 'DOWN' },
};

const pay = (mock: TestMock, query = '', path = '/momo/pay') =>
  ask(mock, `${path}${query}`, { method: 'POST' });

it.each<[response: ScriptedResponse, status: number, text: string, from: string | undefined]>([
  [{ status: 503 }, 503, '{"code":"DOWN"}', undefined],
  [{ status: 502, body: '<html>' }, 502, '<html>', undefined],
  [{ status: 202 }, 202, '{"from":"handler"}', 'handler'],
  [{ body: { n: 1 } }, 201, '{"n":1}', undefined],
  [{ status: 204 }, 204, '', 'handler'],
  [{ headers: { 'x-from': 'script' } }, 201, '{"from":"handler"}', 'script'],
  [{ status: 503, headers: { 'x-from': 'script' } }, 503, '{"code":"DOWN"}', 'script'],
])('%j replaces the response of a handler that has run', async (response, status, text, from) => {
  const mock = await startMock(FILES);
  await mock.freeze();
  await mock.respondWith({ operation: PAY, ...response, afterHandler: true });
  const reply = await pay(mock);
  expect([reply.status, reply.text, reply.headers['x-from']]).toEqual([status, text, from]);
  await mock.advance('idle');
  const isReplaced = 'status' in response || 'body' in response;
  expect(await mock.requests()).toMatchObject([
    {
      status,
      source: isReplaced ? 'script' : 'handler',
      file: expect.stringContaining('pay.post.js'),
    },
  ]);
});

it('the state, the timers and the webhooks of the handler stay, and those of the script are added', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  const { url, calls } = await startWebhook();
  await account.freeze();
  await account.respondWith({
    status: 502,
    afterHandler: true,
    webhook: { url, body: 'script' },
  });
  const query = `?url=${encodeURIComponent(url)}`;
  expect((await ask(account, `/momo/pay${query}`, { method: 'POST' })).status).toBe(502);
  await account.advance('idle');
  expect(await account.state.get('paid')).toBe(1);
  expect(await account.state.get('done')).toBe(true);
  expect(calls.map(({ body }) => body).sort()).toEqual(['handler', 'script']);
  await account.respondWith({ status: 502 });
  await ask(account, '/momo/pay', { method: 'POST' });
  expect(await account.state.get('paid')).toBe(1);
});

it('a fault breaks the response that replaces the one of the handler', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount();
  await account.respondWith([
    { status: 503, fault: 'reset', afterHandler: true },
    { status: 502, body: 'ab', fault: 'malformed', afterHandler: true },
    { status: 502, body: 'ab', afterHandler: true },
  ]);
  const own = { ...mock, apiKey: account.apiKey };
  await expect(pay(own)).rejects.toThrow();
  expect((await pay(own)).text).toBe('a}{');
  expect((await pay(own, '?fault=hang')).text).toBe('ab');
  expect(await account.state.get('paid')).toBe(3);
  expect(await account.requests()).toMatchObject([
    { source: 'script', fault: 'reset', file: expect.stringContaining('pay.post.js') },
    { fault: 'malformed' },
    { fault: null },
  ]);
});

it('a handler that fails is a 500 with its reason', async () => {
  const mock = await startMock(FILES);
  await mock.respondWith({ status: 502, body: 'x', fault: 'reset', afterHandler: true });
  expect((await pay(mock, '?fails=1')).status).toBe(500);
  expect(await mock.requests()).toMatchObject([
    { status: 500, source: 'error', reason: 'handler-failed', fault: null },
  ]);
  await mock.verifyUsed();
});

it('a .response.json variant can replace the response of a handler that has run', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount({ variant: 'lost' });
  const reply = await ask(account, '/momo/pay', { method: 'POST' });
  expect([reply.status, reply.text]).toEqual([502, '<html>']);
  expect(await account.state.get('paid')).toBe(1);
  expect(await account.requests()).toMatchObject([
    { source: 'handler', variant: 'lost', file: expect.stringContaining('pay.post.js') },
  ]);
});

it('a scripted response changes what such a variant sends', async () => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount({ variant: 'lost' });
  await account.respondWith([{ headers: { 'x-a': '1' } }, { status: 503, afterHandler: true }]);
  const send = () => ask(account, '/momo/pay', { method: 'POST' });
  expect(await send()).toMatchObject({ status: 502, text: '<html>', headers: { 'x-a': '1' } });
  expect(await send()).toMatchObject({ status: 503, text: '{"code":"DOWN"}' });
  expect(await account.state.get('paid')).toBe(2);
});

it('without a handler, it changes only that the webhooks of a file are sent', async () => {
  const { url, calls } = await startWebhook();
  const paid = { status: 201, body: { id: 1 }, webhook: { url, body: 'file' } };
  const mock = await startMock({ ...FILES, 'momo/fixed.post.response.json': paid });
  await mock.freeze();
  await mock.setBalance({ n: 1 });
  await mock.respondWith({ status: 502, body: 'x', afterHandler: true, times: 2 });
  expect((await ask(mock)).text).toBe('x');
  expect((await pay(mock, '', '/momo/fixed')).text).toBe('x');
  await mock.advance('idle');
  expect(calls.map(({ body }) => body)).toEqual(['file']);
  const scripted = { source: 'script', file: null };
  expect(await mock.requests()).toMatchObject([scripted, scripted]);
});

it('is refused before the key check, where no handler could run', async () => {
  const mock = await startMock(FILES);
  await expect(
    mock.respondWith([{ status: 502, afterHandler: true, beforeKeyCheck: true }]),
  ).rejects.toMatchObject({
    code: 'MOMO_MOCK_REQUEST_INVALID',
    message:
      'Failed to read responses[0].afterHandler: must be false before the key check, because a handler needs a key.',
  });
});

describe('after a handler of a test', () => {
  it('the journal says that handle() ran', async () => {
    const mock = await startMock();
    let runs = 0;
    await mock.handle(PAY, () => {
      runs++;
      return { status: 201 };
    });
    await mock.respondWith({ status: 502, afterHandler: true });
    expect((await pay(mock)).status).toBe(502);
    expect(runs).toBe(1);
    expect(await mock.requests()).toMatchObject([{ source: 'script', file: 'handle()' }]);
  });
});

it('an error handler makes the body of the status that replaces the response', async () => {
  const mock = await startMock({
    ...FILES,
    'momo/pay.post.down.response.json': { status: 502, afterHandler: true },
    'momo/fixed.post.down.response.json': { status: 502 },
    'errors/502.js': `export default () => ({ body: { from: 'error handler' } });`,
  });
  await mock.respondWith({ status: 502, afterHandler: true });
  expect((await pay(mock)).json).toEqual({ from: 'error handler' });
  await mock.setVariant('down');
  for (const path of ['/momo/pay', '/momo/fixed']) {
    await mock.respondWith({ delay: 1 });
    expect((await pay(mock, '', path)).json).toEqual({ from: 'error handler' });
  }
});

it('in a file with another value than true or false is a problem at its place', async () => {
  const files = { 'momo/b.get.response.json': { status: 201, afterHandler: 'yes' } };
  expect(await problemsOf(files)).toEqual([
    'Failed to read momo/b.get.response.json:1:30: afterHandler: must be true or false.',
  ]);
});
