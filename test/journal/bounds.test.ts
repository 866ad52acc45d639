import { expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { type LocalTestMock, startMock } from '../support/mock.ts';
import type { MomoStartOptions } from '../support/momo-mock.ts';
import { NOTIFY } from '../support/webhook.ts';
import { JOURNALS } from './journals.ts';

/** The ids of what is kept, and how many were dropped. */
async function kept(mock: LocalTestMock, name: 'requests' | 'webhooks') {
  const { json } = await control(mock, `GET /${name}`);
  const { dropped, [name]: entries } = json as Record<string, { id: number }[]>;
  return [entries?.map(({ id }) => id), dropped];
}

for (const [name, { add }] of Object.entries(JOURNALS) as [
  keyof typeof JOURNALS,
  (typeof JOURNALS)['requests'],
][]) {
  const start = (options: MomoStartOptions) => startMock(NOTIFY, { control: true, ...options });

  it(`keeps as many ${name} as the journal may have, the newest, and counts the others`, async () => {
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

  it(`keeps as many bytes of ${name} as the journal may have, the newest`, async () => {
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

  it(`keeps no ${name} where the journal has no size`, async () => {
    const mock = await start({ journalSize: 0 });
    await add(mock);
    expect(await kept(mock, name)).toEqual([[], 1]);
  });

  it(`removes the ${name} of an account alone, and counts on`, async () => {
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
const LONG_ANSWERS = {
  'momo/handled.get.js': `export default () => ({ body: '${LONG}' });`,
  'momo/fixed.get.json': `"${LONG}"`,
};

it.each<[string, ids: number[], path: string, sent?: object, answer?: object]>([
  ['short requests', [1, 2], '/momo/balance'],
  ['the body', [2], '/momo/balance', { method: 'POST', body: LONG }],
  ['the target', [2], `/momo/balance?long=${LONG}`],
  ['the value of a header', [2], '/momo/balance', { headers: { 'x-long': LONG } }],
  ['the names of headers', [2], '/momo/balance', { headers: { [LONG]: '' } }],
  ['headers that repeat', [2], '/momo/balance', { headers: { a: [LONG, '1'], b: '' } }],
  [
    'the answer of a script',
    [2],
    '/momo/balance',
    {},
    { operation: 'GET /momo/balance', body: LONG, times: 2 },
  ],
  ['the answer of a handler', [2], '/momo/handled'],
  ['the answer of a file, which is there anyway,', [1, 2], '/momo/fixed'],
])(
  'of two requests with %s, 20,000 bytes have place for %j',
  async (_what, ids, path, sent, answer) => {
    const mock = await startMock(LONG_ANSWERS, { control: true, journalBytes: 20_000 });
    if (answer !== undefined) await mock.respondWith(answer);
    for (let count = 0; count < 2; count++) await ask(mock, path, sent);
    expect(await kept(mock, 'requests')).toEqual([ids, 2 - ids.length]);
  },
);

it('counts the balance that a test sets with each request that it answers', async () => {
  const mock = await startMock({}, { control: true, journalBytes: 20_000 });
  await mock.setBalance({ long: LONG });
  for (let count = 0; count < 2; count++) await ask(mock);
  expect(await kept(mock, 'requests')).toEqual([[2], 1]);
});
