import { describe, expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { describeBothWays, type TestMock } from '../support/mock.ts';
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

describeBothWays((start) => {
  it.each(PAIRS)('%s wins over %s, whichever was set first', async (strong, _, first, second) => {
    for (const sets of [
      [first, second],
      [second, first],
    ]) {
      const mock = await start(FILES);
      const account = await mock.createAccount({ variant: 'three' });
      for (const set of sets) await set(account, mock);
      expect((await ask(account)).json).toEqual({ from: strong });
    }
  });

  it.each(DECIDE)('%s wins over the first variant of the account', async (from, set) => {
    const mock = await start(FILES);
    const account = await mock.createAccount({ variant: 'three' });
    expect((await ask(account)).json).toEqual({ from: 'variant three' });
    await set(account, mock);
    expect((await ask(account)).json).toEqual({ from });
    await mock.reset();
    expect((await ask(mock)).json).toEqual({ from: 'file' });
  });

  it('an operation without a file for the set variant is of the next one that it has', async () => {
    const mock = await start({
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
});

/** A handler, and variants that script what it or the file answers. */
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

describeBothWays((start) => {
  it.each<
    [what: string, script: object, variant: string | undefined, status: number, from: unknown]
  >([
    ['nothing else', {}, undefined, 201, 'handler'],
    ['a scripted delay', { delay: 1 }, undefined, 201, 'handler'],
    ['scripted headers', { headers: { 'x-a': '1' } }, undefined, 201, 'handler'],
    ['a scripted status', { status: 202 }, undefined, 202, undefined],
    ['a scripted body', { body: { from: 'script' } }, undefined, 200, 'script'],
    ['a scripted body that is empty', { body: '' }, undefined, 200, undefined],
    ['a variant that is a file', {}, 'file', 200, 'variant'],
    ['a variant that delays', {}, 'slow', 201, 'handler'],
    ['a variant with a status', {}, 'down', 503, undefined],
    ['a scripted status over a variant', { status: 202 }, 'file', 202, 'variant'],
    ['a variant that no file has', {}, undefined, 201, 'handler'],
  ])('a handler against %s', async (_what, script, variant, status, from) => {
    const mock = await start({ ...HANDLED, 'errors/503.json': {} });
    const account = await mock.createAccount({ ...(variant !== undefined && { variant }) });
    if (Object.keys(script).length > 0) await account.respondWith({ ...PAY, ...script });
    const reply = await ask(account, '/momo/pay', { method: 'POST', body: {} });
    expect([reply.status, (reply.json as { from?: unknown } | undefined)?.from]).toEqual([
      status,
      from,
    ]);
    const [entry] = await mock.requests();
    const isScripted = 'status' in script || 'body' in script;
    const source = isScripted ? 'script' : from === 'handler' ? 'handler' : 'fixture';
    expect(entry).toMatchObject({ source, variant: isScripted ? null : (variant ?? null) });
  });

  it('what a script adds to the answer of a handler is done to it, and CORS is as set', async () => {
    const mock = await start(HANDLED);
    await mock.respondWith({ ...PAY, headers: { 'x-from': 'script' }, fault: 'malformed' });
    const reply = await ask(mock, '/momo/pay?fault=hang', { method: 'POST' });
    expect(reply.headers).toMatchObject({ 'x-from': 'script', 'access-control-allow-origin': '*' });
    expect(reply.text).toBe('{"from":"}{');
  });
});

describe('before all of that', () => {
  const LONG = 'x'.repeat(1_048_577);

  describeBothWays((start) => {
    it.each<[what: string, path: string, options: object, apiKey: string, status: number]>([
      ['the key over a script', '/momo/balance', {}, 'wrong', 401],
      ['the key over an unknown path', '/momo/other', {}, 'wrong', 401],
      ['the key over a wrong method', '/momo/balance', { method: 'DELETE' }, 'wrong', 401],
      ['the key over what the schema refuses', '/momo/checked', { method: 'POST' }, 'wrong', 401],
      ['an unknown path', '/momo/other', {}, '', 404],
      ['a wrong method', '/momo/balance', { method: 'DELETE' }, '', 405],
      ['the schema over a script', '/momo/checked', { method: 'POST', body: {} }, '', 400],
      ['the length of a body over the key', '/momo/pay', { method: 'POST', body: LONG }, 'no', 413],
      ['the length of a body over a script', '/momo/pay', { method: 'POST', body: LONG }, '', 413],
      [
        'no limit where nothing reads a body',
        '/momo/plain',
        { method: 'POST', body: LONG },
        '',
        202,
      ],
    ])('%s: %s', async (_what, path, options, apiKey, status) => {
      const mock = await start({
        ...HANDLED,
        'momo/plain.post.json': {},
        'momo/checked.post.json': {},
        'momo/checked.post.request.schema.json': {
          type: 'object',
          properties: { body: { type: 'object', required: ['amount'] } },
        },
      });
      const operations = ['GET /momo/balance', 'POST /momo/pay', 'POST /momo/checked'] as const;
      for (const operation of operations) {
        await mock.respondWith({ operation, status: 202, times: 'always' });
      }
      await mock.respondWith({ operation: 'POST /momo/plain', status: 202 });
      const key = apiKey === '' ? mock.apiKey : apiKey;
      expect((await ask({ ...mock, apiKey: key }, path, options)).status).toBe(status);
    });

    it('what the schema refuses takes no script', async () => {
      const mock = await start({
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
});
