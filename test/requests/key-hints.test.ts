import { describe, expect, it } from 'vitest';
import { control, send } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

const HEADER = 'Ocp-Apim-Subscription-Key';
const KEY = { [HEADER]: 'momo_test_key' };
const KEY_IN = { keyIn: `header:${HEADER}` } as const;

it.each<{ headers: Record<string, string>; place: string }>([
  { headers: { [HEADER]: 'canary' }, place: `header:${HEADER}` },
  { headers: { 'x-api-key': 'canary' }, place: 'header:x-api-key' },
  { headers: { authorization: 'Bearer canary' }, place: 'bearer' },
  { headers: { authorization: 'basic Y2FuYXJ5Og==' }, place: 'basic' },
  { headers: { authorization: 'Bearer canary', [HEADER]: 'x' }, place: `header:${HEADER}` },
])('who forgot --key-in is told its value: $place', async ({ headers, place }) => {
  const mock = await startMock();
  expect((await send(mock, '/momo/balance', { headers })).status).toBe(401);
  const [entry] = await mock.requests();
  expect(entry?.reason).toBe('key-in-header');
  expect(entry?.hint).toContain(`--key-in ${place} (MOMO_MOCK_KEY_IN, keyIn)`);
  if (place === 'bearer') expect(entry?.hint).toContain('in the header Authorization: Bearer.');
  expect(JSON.stringify(entry)).not.toContain('canary');
});

it.each<{ headers: Record<string, string>; reason: string }>([
  { headers: { 'x-canary1-key': 'x' }, reason: 'key-in-header' },
  { headers: { authorization: 'canary' }, reason: 'key-in-header' },
  { headers: { 'sec-websocket-key': 'canary' }, reason: 'key-missing' },
  { headers: { 'idempotency-key': 'x' }, reason: 'key-missing' },
])('a header that may be no place of a key gets the usual hint: $headers', async (row) => {
  const mock = await startMock();
  await send(mock, '/momo/balance', { headers: row.headers });
  const [entry] = await mock.requests();
  expect(entry).toMatchObject({
    reason: row.reason,
    hint: expect.stringContaining('?apikey=<key>'),
  });
  expect(entry?.hint).not.toMatch(/canary|--key-in/);
});

it('a header that has a key as its name is not in the hint', async () => {
  const mock = await startMock({}, { apiKeys: ['canary-key'] });
  await send(mock, '/momo/balance', { headers: { 'canary-key': '1' } });
  expect(JSON.stringify(await mock.requests())).not.toContain('canary');
});

it.each<{ line: string; file: string; path?: string }>([
  {
    line: 'POST /collection/v1_0/requesttopay',
    file: 'collection/v1_0/requesttopay.post.js',
  },
  {
    line: 'GET /v1_0/requesttopay/3fa85f64-5717-4562-b3fc-2c963f66afa6/sub/22951010200',
    file: 'v1_0/requesttopay/[id]/sub/[id2].get.json',
  },
  { line: 'HEAD /token/', file: 'token.get.json' },
  {
    line: 'GET /a/momo_test_key/secret-1',
    path: '/a/[redacted]/[redacted]',
    file: 'a/[id]/[redacted].get.json',
  },
  { line: 'GET /errors/list', file: '[id]/list.get.json' },
])('with the key in a header, a 404 names the file: $line', async ({ line, ...row }) => {
  const mock = await startMock({}, KEY_IN);
  const [method, target = ''] = line.split(' ');
  await send(mock, target, { method, headers: { ...KEY, 'x-token': 'secret-1' } });
  const [entry] = await mock.requests();
  expect(entry).toMatchObject({ path: row.path ?? target, operation: null });
  expect(entry?.hint).toContain(`Add fixtures/${row.file}.`);
  if (row.path === undefined) await mock.verify({ path: target });
});

it.each([{}, KEY_IN])(
  'a wrong method gets those that the path has, and no file: %j',
  async (keyIn) => {
    const mock = await startMock({}, keyIn);
    const request = { method: 'DELETE', headers: keyIn === KEY_IN ? KEY : {} };
    await send(mock, `/momo/balance${keyIn === KEY_IN ? '' : '?apikey=momo_test_key'}`, request);
    const hint = 'The path has only the methods GET, HEAD. Correct the method of the client.';
    expect(await mock.requests()).toMatchObject([{ status: 405, reason: 'wrong-method', hint }]);
  },
);

it.each(['//v1/pay', '/v1//pay', '/v1/pay//'])(
  'a path with two slashes is told to have them, because no file serves it: %s',
  async (path) => {
    const mock = await startMock();
    await send(mock, `${path}?apikey=momo_test_key`);
    const [entry] = await mock.requests();
    expect(entry).toMatchObject({
      status: 404,
      hint: expect.stringMatching(/^The path has \/\/,/),
    });
  },
);

it('without a valid key, the path is as the log shows it: it may have the key', async () => {
  const mock = await startMock({}, KEY_IN);
  await send(mock, '/collection/canary1234');
  await send(mock, '/', { headers: KEY });
  await send(mock, '/a/b1', { method: 'TRACE', headers: KEY });
  const [without, root, trace] = await mock.requests();
  expect(without).toMatchObject({ path: '/collection/…', reason: 'key-missing' });
  for (const entry of [root, trace]) expect(entry?.hint).toContain('Run momo-mock init');
  expect(trace?.path).toBe('/a/b1');
});

describe('a call of the control API with the header of the service', () => {
  it('is refused without the header apikey, because it would be for all accounts', async () => {
    const mock = await startMock({}, { ...KEY_IN, control: true });
    const wrong = await control(mock, 'DELETE /requests', { headers: KEY });
    expect(wrong).toMatchObject({
      status: 400,
      json: {
        error: {
          code: 'MOMO_MOCK_REQUEST_INVALID',
          message: `Failed to read the header ${HEADER.toLowerCase()}: it is for the service. Send the account's key in the header apikey, or leave it out.`,
        },
      },
    });
    expect(wrong.text).not.toContain('momo_test_key');
    const headers = { ...KEY, apikey: 'momo_test_key' };
    expect((await control(mock, 'GET /requests', { headers })).status).toBe(200);
  });

  it('is fine if that header is authorization, which has the token', async () => {
    const mock = await startMock({}, { keyIn: 'bearer', control: { token: 'sesame' } });
    const headers = { authorization: 'Bearer sesame' };
    expect((await control(mock, 'GET /requests', { headers })).status).toBe(200);
  });
});
