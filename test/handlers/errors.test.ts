import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

const SHOW = `export default ({ reason, path, problems }) =>
  ({ headers: { 'x-from': 'handler' }, body: { reason, path, problems } });`;
const KEYLESS = 'globalThis.errors = 0; export default () => ({ body: ++errors });';
const BALANCE = { path: '/momo/balance', problems: [] };

it.each<{ status: number; apiKey: string; path: string; shown: object }>([
  {
    status: 401,
    apiKey: 'wrong',
    path: '/momo/balance',
    shown: { reason: 'key-unknown', ...BALANCE },
  },
  { status: 401, apiKey: '', path: '/momo/balance', shown: { reason: 'key-empty', ...BALANCE } },
  {
    status: 404,
    apiKey: '',
    path: '/nowhere',
    shown: { reason: 'unknown-path', path: '/nowhere', problems: [] },
  },
  {
    status: 405,
    apiKey: '',
    path: '/momo/balance',
    shown: { reason: 'wrong-method', ...BALANCE },
  },
])(
  'a handler for the error $status makes its response, for the key $apiKey',
  async ({ status, apiKey, path, shown }) => {
    const mock = await startMock({ [`errors/${status}.js`]: SHOW });
    const method = status === 405 ? 'DELETE' : 'GET';
    const key = status === 401 ? apiKey : mock.apiKey;
    expect(await ask({ ...mock, apiKey: key }, path, { method })).toMatchObject({
      status,
      headers: { 'x-from': 'handler' },
      json: shown,
    });
  },
);

it.each([true, false])(
  'a handler for the error also makes the response to a scripted error, with beforeKeyCheck: %s',
  async (beforeKeyCheck) => {
    const mock = await startMock({ 'errors/503.js': SHOW });
    const account = await mock.createAccount();
    const script = { status: 503, headers: { 'retry-after': '1' } };
    if (beforeKeyCheck) await mock.respondWith({ ...script, beforeKeyCheck });
    else await account.respondWith(script);
    const { apiKey } = account;
    expect(await ask({ ...mock, apiKey: beforeKeyCheck ? 'wrong' : apiKey })).toMatchObject({
      status: 503,
      headers: { 'x-from': 'handler', 'retry-after': '1' },
      json: { reason: null, ...BALANCE },
    });
  },
);

it('a scripted error with its own body keeps it', async () => {
  const mock = await startMock({ 'errors/400.js': 'export default () => ({ body: 1 });' });
  await mock.respondWith([{ status: 400, body: { own: true } }, { status: 400 }]);
  expect([(await ask(mock)).json, (await ask(mock)).json]).toEqual([{ own: true }, 1]);
});

it('a response that is scripted before the key check calls no handler', async () => {
  const mock = await startMock({ 'momo/balance.get.js': KEYLESS });
  await mock.respondWith({ headers: { 'x-early': '1' }, beforeKeyCheck: true, times: 2 });
  for (const apiKey of ['', mock.apiKey]) {
    const early = { status: 200, text: '', headers: { 'x-early': '1' } };
    expect(await ask({ ...mock, apiKey })).toMatchObject(early);
  }
  const [entry] = await mock.requests();
  expect(entry).toMatchObject({ source: 'script', account: null });
  expect((await ask(mock)).json).toBe(1);
});
