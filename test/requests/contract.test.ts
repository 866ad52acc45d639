import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ask, send } from '../support/client.ts';
import { sharedMock, startMock } from '../support/mock.ts';

const shipped = (path: string) => readFileSync(`fixtures/${path}`, 'utf8').trimEnd();
const BALANCE = shipped('momo/balance.get.json');
const JSON_TYPE = 'application/json; charset=utf-8';
const KEYS = ['good', 'p+l/us=', 'single=single', 'per-operator=per-operator', 'flat=flat'];

const mock = sharedMock({}, { apiKeys: [...KEYS, 'empty=empty'] });

describe('a good key', () => {
  it('gets the bytes of the fixture', async () => {
    expect(await send(mock(), '/momo/balance?apikey=good')).toMatchObject({
      status: 200,
      headers: { 'content-type': JSON_TYPE, 'content-length': `${Buffer.byteLength(BALANCE)}` },
      text: BALANCE,
    });
    expect(await mock().requests()).toMatchObject([{ account: 'account-1', reason: null }]);
  });

  it.each<[what: string, target: string, headers?: Record<string, string>]>([
    ['a slash at the end', '/momo/balance/?apikey=good'],
    ['another letter case of the path', '/MoMo/BALANCE?apikey=good'],
    ['more parameters before and behind', '/momo/balance?a=1&apikey=good&b[]=2&currency=XOF'],
    ['the key and its name percent-encoded', '/momo/balance?%61pikey=%67%6F%6f%64'],
    ['characters of a key that must be encoded', '/momo/balance?apikey=p%2Bl%2Fus%3D'],
    ['the whole URL as the target', 'https://example.com/momo/balance?apikey=good'],
    ['a key in a header beside it', '/momo/balance?apikey=good', { apikey: 'bad' }],
    [
      'any accepted coding',
      '/momo/balance?apikey=good',
      { 'accept-encoding': 'gzip, br;q=1, *;q=0' },
    ],
  ])('may come with %s', async (_what, target, headers = {}) => {
    const response = await send(mock(), target, { headers });
    expect(response).toMatchObject({ status: 200, text: BALANCE });
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  it.each(['application/json', 'text/plain', 'nonsense', 'multipart/form-data'])(
    'may come with a broken body of type %s',
    async (type) => {
      const options = { headers: { 'content-type': type }, body: '{"broken"' };
      expect((await send(mock(), '/momo/balance?apikey=good', options)).text).toBe(BALANCE);
    },
  );

  it.each(['/', '/momo', '/momo/nothing', '/errors/401'])(
    'gets a 404 for %s, which does not repeat the URL',
    async (path) => {
      const response = await send(mock(), `${path}?apikey=good`);
      expect(response).toMatchObject({ status: 404, text: shipped('errors/404.json') });
      expect(await mock().requests()).toMatchObject([{ reason: 'unknown-path', operation: null }]);
    },
  );
});

it.each([
  { target: '/momo/balance', reason: 'key-missing' },
  { target: '/momo/balance?x=1', reason: 'key-missing' },
  { target: '/momo/balance?monkey=good', reason: 'key-missing' },
  { target: '/momo/balance?apikey=', reason: 'key-empty' },
  { target: '/momo/balance?apikey', reason: 'key-empty' },
  { target: '/momo/balance?apikey=wrong', reason: 'key-unknown' },
  { target: '/momo/balance?apikey=GOOD', reason: 'key-unknown' },
  { target: '/momo/balance?apikey=good%20', reason: 'key-unknown' },
  { target: '/momo/balance?apikey=good%00', reason: 'key-unknown' },
  { target: '/momo/balance?apikey=__proto__', reason: 'key-unknown' },
  { target: '/momo/balance?apikey=good&apikey=good', reason: 'key-repeated' },
  { target: '/momo/balance?apikey=good&apikey=wrong', reason: 'key-repeated' },
  { target: '/momo/balance?apikey=&apikey=good', reason: 'key-repeated' },
  { target: '/momo/balance?apikey[]=good', reason: 'key-misspelt' },
  { target: '/momo/balance?apiKey=good', reason: 'key-misspelt' },
  { target: '/momo/balance?APIKEY=good', reason: 'key-misspelt' },
  { target: '/momo/balance?api_key=good', reason: 'key-misspelt' },
  { target: '/momo/balance?key=good', reason: 'key-misspelt' },
  { target: '/momo/balance', reason: 'key-in-header', headers: { apikey: 'good' } },
  { target: '/momo/balance', reason: 'key-in-header', headers: { 'x-api-key': 'good' } },
  { target: '/momo/balance', reason: 'key-in-header', headers: { authorization: 'good' } },
  { target: '/momo/balance', reason: 'key-missing', headers: { accept: 'good' } },
  { target: '/nothing', reason: 'key-missing' },
  { target: '/nothing?apikey=wrong', reason: 'key-unknown' },
  { target: '/', reason: 'key-missing' },
  { target: '/momo/balance', reason: 'key-missing', headers: {}, method: 'POST' },
  { target: '/momo/balance', reason: 'key-missing', headers: {}, method: 'OPTIONS' },
])(
  '$target gets a 401 for the reason $reason',
  async ({ target, reason, headers = {}, method = 'GET' }) => {
    const response = await send(mock(), target, { headers, method });
    expect(response).toMatchObject({ status: 401, text: shipped('errors/401.json') });
    expect(response.headers['content-type']).toBe(JSON_TYPE);
    expect(response.json).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await mock().requests()).toMatchObject([{ reason, account: null, status: 401 }]);
  },
);

it.each([
  ['POST', '/nothing%zz', 400],
  ['POST', '/momo/balance?x=%zz', 400],
  ['POST', '/nothing', 401],
  ['POST', '/momo/balance', 401],
  ['POST', '/nothing?apikey=good', 404],
  ['POST', '/momo/balance?apikey=good', 405],
])('the first of several mistakes decides: %s %s gets a %i', async (method, target, status) => {
  expect((await send(mock(), target, { method })).status).toBe(status);
});

it.each([
  ['single', 'balance'],
  ['per-operator', 'balances'],
  ['flat', 'currency'],
  ['empty', 'balance'],
])('the shipped variant %s has a balance of another shape', async (apiKey, field) => {
  const { json } = await send(mock(), `/momo/balance?apikey=${apiKey}`);
  expect(json).toHaveProperty(field);
  const usual = JSON.parse(BALANCE);
  expect(json).not.toEqual(usual);
  for (const entry of usual.balance) expect(Object.keys(entry)).toEqual(['amount', 'currency']);
});

it.each([400, 401, 404, 405, 408, 413, 429, 431, 500, 503])(
  'the shipped error %i has success, code and message',
  async (status) => {
    await mock().respondWith({ status });
    const text = expect.any(String);
    const { json } = await send(mock(), '/momo/balance?apikey=good');
    expect(json).toEqual({ success: false, code: text, message: text });
  },
);

it('an error without a file has no body', async () => {
  await mock().respondWith({ status: 418 });
  expect(await send(mock(), '/momo/balance?apikey=good')).toMatchObject({ status: 418, text: '' });
});

it('a thousand requests in a row all get a response', async () => {
  const own = await startMock();
  const statuses = new Set<number | undefined>();
  for (let count = 0; count < 1000; count++) {
    statuses.add((await ask(own, '/momo/balance', { agent: own.agent })).status);
  }
  expect([...statuses]).toEqual([200]);
});
