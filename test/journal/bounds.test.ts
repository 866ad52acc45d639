import { expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import type { MomoStartOptions } from '../support/momo-mock.ts';
import { NOTIFY } from '../support/webhook.ts';
import { JOURNALS } from './journals.ts';

/** The ids of what is kept, and how many were dropped. */
async function kept(mock: TestMock, name: 'requests' | 'webhooks') {
  const { json } = await control(mock, `GET /${name}`);
  const { dropped, [name]: entries } = json as Record<string, { id: number }[]>;
  return [entries?.map(({ id }) => id), dropped];
}

for (const [name, { add }] of Object.entries(JOURNALS) as [
  keyof typeof JOURNALS,
  (typeof JOURNALS)['requests'],
][]) {
  const start = (options: MomoStartOptions) => startMock(NOTIFY, { control: true, ...options });

  it(`the journal keeps the newest ${name} up to its size, and counts the others`, async () => {
    const mock = await start({ journalSize: 3 });
    const seen: unknown[] = [];
    for (let count = 1; count <= 5; count++) {
      await add(mock);
      seen.push(await kept(mock, name));
    }
    expect(seen).toEqual([
      [[1], 0],
      [[1, 2], 0],
      [[1, 2, 3], 0],
      [[2, 3, 4], 1],
      [[3, 4, 5], 2],
    ]);
    await control(mock, `DELETE /${name}`);
    expect(await kept(mock, name)).toEqual([[], 0]);
    for (let count = 1; count <= 4; count++) await add(mock);
    expect(await kept(mock, name)).toEqual([[7, 8, 9], 1]);
  });

  it(`the journal keeps the newest ${name} up to its bytes`, async () => {
    const mock = await start({ journalBytes: 50_000 });
    const seen: unknown[] = [];
    for (const bytes of [20_000, 20_000, 20_000, 50_000, 49_000]) {
      await add(mock, 'x'.repeat(bytes));
      seen.push(await kept(mock, name));
    }
    expect(seen).toEqual([
      [[1], 0],
      [[1, 2], 0],
      [[2, 3], 1],
      [[], 4],
      [[5], 4],
    ]);
  });

  it(`the journal keeps no ${name} if its size is 0`, async () => {
    const mock = await start({ journalSize: 0 });
    await add(mock);
    expect(await kept(mock, name)).toEqual([[], 1]);
  });

  it(`the journal removes the ${name} of one account, and its ids continue`, async () => {
    const mock = await start({ journalSize: 2 });
    const account = await mock.createAccount();
    for (const scope of [mock, account, mock]) await add(scope);
    expect(await kept(mock, name)).toEqual([[2, 3], 1]);
    const headers = { apikey: account.apiKey };
    expect(await control(mock, `DELETE /${name}`, { headers })).toMatchObject({ status: 204 });
    expect(await kept(mock, name)).toEqual([[3], 1]);
    await add(mock);
    expect(await kept(mock, name)).toEqual([[3, 4], 1]);
  });
}

const LONG = 'x'.repeat(12_000);
const LONG_RESPONSES = {
  'momo/handled.get.js': `export default () => ({ body: '${LONG}' });`,
  'momo/fixed.get.json': `"${LONG}"`,
};

it.each<{ name: string; ids: number[]; path: string; sent?: object; response?: object }>([
  { name: 'short requests', ids: [1, 2], path: '/momo/balance' },
  { name: 'the body', ids: [2], path: '/momo/balance', sent: { method: 'POST', body: LONG } },
  { name: 'the target', ids: [2], path: `/momo/balance?long=${LONG}` },
  {
    name: 'the value of a header',
    ids: [2],
    path: '/momo/balance',
    sent: { headers: { 'x-long': LONG } },
  },
  {
    name: 'the names of headers',
    ids: [2],
    path: '/momo/balance',
    sent: { headers: { [LONG]: '' } },
  },
  {
    name: 'headers that repeat',
    ids: [2],
    path: '/momo/balance',
    sent: { headers: { a: [LONG, '1'], b: '' } },
  },
  {
    name: 'the response of a script',
    ids: [2],
    path: '/momo/balance',
    sent: {},
    response: { operation: 'GET /momo/balance', body: LONG, times: 2 },
  },
  { name: 'the response of a handler', ids: [2], path: '/momo/handled' },
  { name: 'the response of a file, which is kept anyway,', ids: [1, 2], path: '/momo/fixed' },
])(
  'a journal of 20,000 bytes keeps of two requests with $name: $ids',
  async ({ ids, path, sent, response }) => {
    const mock = await startMock(LONG_RESPONSES, { control: true, journalBytes: 20_000 });
    if (response !== undefined) await mock.respondWith(response);
    for (let count = 0; count < 2; count++) await ask(mock, path, sent);
    expect(await kept(mock, 'requests')).toEqual([ids, 2 - ids.length]);
  },
);

it('a balance that a test set counts with each request that gets it', async () => {
  const mock = await startMock({}, { control: true, journalBytes: 20_000 });
  await mock.setBalance({ long: LONG });
  for (let count = 0; count < 2; count++) await ask(mock);
  expect(await kept(mock, 'requests')).toEqual([[2], 1]);
});
