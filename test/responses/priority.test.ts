import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import type { MomoAccount } from '../support/momo-mock.ts';

const FILES = {
  'momo/balance.get.json': { from: 'file' },
  'momo/balance.get.one.json': { from: 'variant one' },
  'momo/balance.get.two.json': { from: 'variant two' },
  'momo/balance.get.three.json': { from: 'variant three' },
};

/** Everything that can decide the balance, the strongest first, and how it is set. */
const DECIDE: readonly [from: string, set: (account: MomoAccount, mock: TestMock) => unknown][] = [
  ['script before the key', (_, mock) => mock.respondWith({ ...said(0), beforeKeyCheck: true })],
  ['script of the account', (account) => account.respondWith(said(1))],
  ['script of all accounts', (_, mock) => mock.respondWith(said(2))],
  ['balance of the account', (account) => account.setBalance({ from: DECIDE[3]?.[0] })],
  ['balance of all accounts', (_, mock) => mock.setBalance({ from: DECIDE[4]?.[0] })],
  ['variant one', (account) => account.setVariant('one')],
  ['variant two', (_, mock) => mock.setVariant('two')],
];

function said(index: number) {
  return { body: { from: DECIDE[index]?.[0] }, times: 'always' } as const;
}

const PAIRS = DECIDE.flatMap(([strong, first], at) =>
  DECIDE.slice(at + 1).map(([weak, second]) => [strong, weak, first, second] as const),
);

it.each(PAIRS)('%s overrides %s, whichever was set first', async (strong, _, first, second) => {
  for (const sets of [
    [first, second],
    [second, first],
  ]) {
    const mock = await startMock(FILES);
    const account = await mock.createAccount({ variant: 'three' });
    for (const set of sets) await set(account, mock);
    expect((await ask(account)).json).toEqual({ from: strong });
  }
});

it.each(DECIDE)('%s overrides the first variant of the account', async (from, set) => {
  const mock = await startMock(FILES);
  const account = await mock.createAccount({ variant: 'three' });
  expect((await ask(account)).json).toEqual({ from: 'variant three' });
  await set(account, mock);
  expect((await ask(account)).json).toEqual({ from });
  await mock.reset();
  expect((await ask(mock)).json).toEqual({ from: 'file' });
});

it('an operation without a file for the set variant uses its next variant', async () => {
  const mock = await startMock({
    ...FILES,
    'momo/status.get.json': { from: 'file' },
    'momo/status.get.three.json': { from: 'variant three' },
  });
  const account = await mock.createAccount({ variant: 'three' });
  await mock.setVariant('one');
  expect((await ask(account, '/momo/status')).json).toEqual({ from: 'variant three' });
  expect((await ask(account)).json).toEqual({ from: 'variant one' });
  expect((await ask(mock, '/momo/status')).json).toEqual({ from: 'file' });
});

/** A handler, and variants that script its response or that of the file. */
const HANDLED = {
  'momo/pay.post.js': `export default ({ query }) => ({
    status: 201, headers: { 'x-from': 'handler', 'access-control-allow-origin': 'https://evil' },
    body: { from: 'handler' }, fault: query.fault,
  });`,
  'momo/pay.post.file.json': { from: 'variant' },
  'momo/pay.post.slow.response.json': { delay: 1, headers: { 'x-slow': 'yes' } },
  'momo/pay.post.down.response.json': { status: 503 },
};
const PAY = { operation: 'POST /momo/pay' } as const;

it.each<{ name: string; script?: object; variant?: string; status: number; from?: string }>([
  { name: 'nothing else', status: 201, from: 'handler' },
  { name: 'a scripted delay', script: { delay: 1 }, status: 201, from: 'handler' },
  { name: 'a scripted status', script: { status: 202 }, status: 202 },
  { name: 'a scripted body', script: { body: { from: 'script' } }, status: 200, from: 'script' },
  { name: 'a scripted body that is empty', script: { body: '' }, status: 200 },
  { name: 'a variant that is a file', variant: 'file', status: 200, from: 'variant' },
  { name: 'a variant that delays', variant: 'slow', status: 201, from: 'handler' },
  { name: 'a variant with a status', variant: 'down', status: 503 },
  {
    name: 'a scripted status over a variant',
    script: { status: 202 },
    variant: 'file',
    status: 202,
    from: 'variant',
  },
])('a handler competes with $name', async ({ script = {}, variant, status, from }) => {
  const mock = await startMock({ ...HANDLED, 'errors/503.json': {} });
  const account = await mock.createAccount({ ...(variant !== undefined && { variant }) });
  if (Object.keys(script).length > 0) await account.respondWith({ ...PAY, ...script });
  const response = await ask(account, '/momo/pay', { method: 'POST', body: {} });
  expect([response.status, (response.json as { from?: unknown } | undefined)?.from]).toEqual([
    status,
    from,
  ]);
  const [entry] = await mock.requests();
  const isScripted = 'status' in script || 'body' in script;
  const source = isScripted ? 'script' : from === 'handler' ? 'handler' : 'fixture';
  expect(entry).toMatchObject({ source, variant: isScripted ? null : (variant ?? null) });
});

it('a script can change the response of a handler, and the CORS headers stay as set', async () => {
  const mock = await startMock(HANDLED);
  await mock.respondWith({ ...PAY, headers: { 'x-from': 'script' }, fault: 'malformed' });
  const response = await ask(mock, '/momo/pay?fault=hang', { method: 'POST' });
  expect(response.headers).toMatchObject({
    'x-from': 'script',
    'access-control-allow-origin': '*',
  });
  expect(response.text).toBe('{"from":"}{');
});

describe('before the choice of a response,', () => {
  const LONG = 'x'.repeat(1_048_577);

  it.each<{ name: string; path: string; body?: unknown; apiKey?: string; status: number }>([
    { name: 'the key over a script', path: '/momo/pay', apiKey: 'wrong', status: 401 },
    { name: 'the key over the schema', path: '/momo/checked', apiKey: 'wrong', status: 401 },
    { name: 'the schema over a script', path: '/momo/checked', body: {}, status: 400 },
    {
      name: 'the length of a body over the key',
      path: '/momo/pay',
      body: LONG,
      apiKey: 'no',
      status: 413,
    },
    { name: 'no limit if nothing reads a body', path: '/momo/plain', body: LONG, status: 202 },
  ])('$name is checked: $path', async ({ path, body, apiKey, status }) => {
    const mock = await startMock({
      ...HANDLED,
      'momo/plain.post.json': {},
      'momo/checked.post.json': {},
      'momo/checked.post.request.schema.json': {
        type: 'object',
        properties: { body: { type: 'object', required: ['amount'] } },
      },
    });
    for (const operation of ['POST /momo/pay', 'POST /momo/checked', 'POST /momo/plain'] as const) {
      await mock.respondWith({ operation, status: 202, times: 'always' });
    }
    const client = { ...mock, apiKey: apiKey ?? mock.apiKey };
    expect((await ask(client, path, { method: 'POST', body })).status).toBe(status);
  });

  it('a request that the schema refuses uses no script', async () => {
    const mock = await startMock({
      'momo/checked.post.json': {},
      'momo/checked.post.request.schema.json': { required: ['body'] },
    });
    await mock.respondWith({ operation: 'POST /momo/checked', status: 202 });
    const statuses = [];
    for (const body of [undefined, {}, {}]) {
      statuses.push((await ask(mock, '/momo/checked', { method: 'POST', body })).status);
    }
    expect(statuses).toEqual([400, 202, 200]);
  });
});
