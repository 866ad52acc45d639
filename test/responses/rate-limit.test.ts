import { expect, it } from 'vitest';
import { AS_JSON, ask, control } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

const MINUTE = { limit: 2, window: 60_000 };

/** The statuses of requests, one after the other. */
async function statuses(of: Parameters<typeof ask>[0], count: number, path = '/momo/balance') {
  const all: number[] = [];
  while (all.length < count) all.push((await ask(of, path)).status ?? 0);
  return all;
}

it('requests above the rate limit get a 429 with the time until the next window', async () => {
  const mock = await startMock();
  await mock.freeze();
  await mock.setRateLimit(MINUTE);
  expect(await statuses(mock, 2)).toEqual([200, 200]);
  const { status, json, headers } = await ask(mock);
  expect([status, json]).toEqual([429, expect.objectContaining({ code: 'TOO_MANY_REQUESTS' })]);
  expect(headers).toMatchObject({
    'retry-after': '60',
    ratelimit: '"default";r=0;t=60',
    'ratelimit-policy': '"default";q=2;w=60',
  });
  await mock.advance(59_001);
  expect((await ask(mock)).headers['retry-after']).toBe('1');
  expect(await mock.requests({ status: 429 })).toMatchObject([
    { reason: 'rate-limited', hint: expect.stringContaining('PUT /rate-limit') },
    { reason: 'rate-limited', source: 'error' },
  ]);
});

it('moving the clock of the account opens the next window', async () => {
  const mock = await startMock();
  await mock.freeze();
  const account = await mock.createAccount();
  await mock.setRateLimit(MINUTE);
  expect(await statuses(account, 3)).toEqual([200, 200, 429]);
  await account.advance(59_999);
  expect(await statuses(account, 1)).toEqual([429]);
  await account.advance(1);
  expect(await statuses(account, 3)).toEqual([200, 200, 429]);
  await mock.advance(60_000);
  expect(await statuses(account, 3)).toEqual([200, 200, 429]);
});

it('each account has its own window, and its own limit overrides the limit of all accounts', async () => {
  const mock = await startMock({}, { rateLimit: '1/h' });
  const [one, other] = [await mock.createAccount(), await mock.createAccount()];
  await mock.setRateLimit(MINUTE);
  await one.setRateLimit({ limit: 3, window: 60_000 });
  expect(await statuses(one, 4)).toEqual([200, 200, 200, 429]);
  expect(await statuses(other, 3)).toEqual([200, 200, 429]);
  await one.setRateLimit(undefined);
  expect(await statuses(one, 3)).toEqual([200, 200, 429]);
  await mock.setRateLimit(undefined);
  expect(await statuses(one, 2)).toEqual([200, 429]);
});

it.each(['2/1m', '2/60000ms', MINUTE])('%j is a limit, also of an account', async (limit) => {
  const mock = await startMock({}, { rateLimit: limit });
  const account = await mock.createAccount();
  expect(await statuses(account, 3)).toEqual([200, 200, 429]);
  await mock.setRateLimit({ limit: 1, window: 60_000 });
  await account.setRateLimit(limit);
  expect(await statuses(account, 3)).toEqual([200, 200, 429]);
});

it('a limit counts from when it is set, also the same one again', async () => {
  const mock = await startMock();
  for (const limit of [1, 2, 2]) {
    await mock.setRateLimit({ limit, window: 3_600_000 });
    expect(await statuses(mock, limit + 1)).toEqual([...Array(limit).fill(200), 429]);
  }
});

it('a reset removes the limit of an account or of all accounts', async () => {
  const mock = await startMock();
  const account = await mock.createAccount();
  await mock.setRateLimit(MINUTE);
  await account.setRateLimit({ limit: 1, window: 1000 });
  await account.reset();
  expect(await statuses(account, 3)).toEqual([200, 200, 429]);
  await mock.reset();
  expect(await statuses(mock, 3)).toEqual([200, 200, 200]);
});

it('a refused request uses no script, and a request without a valid key does not count', async () => {
  const mock = await startMock();
  await mock.respondWith([
    { status: 503, beforeKeyCheck: true },
    { status: 418, times: 1 },
  ]);
  await mock.setRateLimit({ limit: 1, window: 3_600_000 });
  expect(await statuses(mock, 1)).toEqual([503]);
  expect(await statuses({ ...mock, apiKey: 'wrong' }, 2)).toEqual([401, 401]);
  expect(await statuses(mock, 1, '/momo/unknown')).toEqual([404]);
  expect(await statuses(mock, 1, '/momo/unknown')).toEqual([429]);
  expect(await statuses(mock, 1)).toEqual([429]);
  await mock.setRateLimit(undefined);
  expect(await statuses(mock, 2)).toEqual([418, 200]);
});

it.each([
  [{ limit: 0, window: 1000 }, 'limit'],
  [{ limit: 1.5, window: 1000 }, 'limit'],
  [{ limit: 1_000_001, window: 1000 }, 'limit'],
  [{ limit: 1, window: 0 }, 'window'],
  [{ limit: 1, window: 86_400_001 }, 'window'],
  [{ limit: 1 }, 'window'],
  [{ limit: 1, window: 1, sekret: 1 }, 'Unknown field'],
  ['2/d', 'such as 10/s'],
  ['2', 'such as 10/s'],
  [2, 'an object with limit, window'],
])('%j is refused as a limit', async (limit, problem) => {
  const mock = await startMock();
  await expect(mock.setRateLimit(limit as typeof MINUTE)).rejects.toMatchObject({
    code: 'MOMO_MOCK_REQUEST_INVALID',
    message: expect.stringContaining(problem),
  });
  expect(await statuses(mock, 2)).toEqual([200, 200]);
});

it.each([
  { rateLimit: '1/s', limit: 1, seconds: '1' },
  { rateLimit: '2/1m', limit: 2, seconds: '60' },
  { rateLimit: '3/h', limit: 3, seconds: '3600' },
  { rateLimit: '1/24h', limit: 1, seconds: '86400' },
])('the setting $rateLimit limits each account', async ({ rateLimit, limit, seconds }) => {
  const mock = await startMock({}, { rateLimit });
  await mock.freeze();
  expect(await statuses(mock, limit + 1)).toEqual([...Array(limit).fill(200), 429]);
  expect((await ask(mock)).headers['retry-after']).toBe(seconds);
});

it.each(['100', '0/s', '1/0s', '10/d', '10/25h', '10/', '1000001/s', ' 1/s', '1.5/s'])(
  'the setting %j is refused',
  async (rateLimit) => {
    await expect(startMock({}, { rateLimit })).rejects.toMatchObject({
      code: 'MOMO_MOCK_SETTINGS_INVALID',
      message: `Failed to read rateLimit: ${JSON.stringify(rateLimit)} is not allowed. Use a number of requests and a time, such as 10/s, 100/1m or 1000/h, or an object of limit and window.`,
    });
  },
);

it.each([{ limit: 0, window: 1 }, { limit: 1 }, { limit: 1, window: 1, x: 1 }])(
  'the option %j is refused',
  async (rateLimit) => {
    await expect(startMock({}, { rateLimit: rateLimit as typeof MINUTE })).rejects.toThrow(
      'Failed to read rateLimit: the value is not allowed. Use a number of requests and a time, such as 10/s, 100/1m or 1000/h, or an object of limit and window.',
    );
  },
);

it('PUT /rate-limit takes text, and shows it as an object', async () => {
  const mock = await startMock({}, { control: true });
  const reply = await control(mock, 'PUT /rate-limit', { headers: AS_JSON, body: '"5/1m"' });
  expect(reply).toMatchObject({ status: 200, json: { limit: 5, window: 60_000 } });
  expect((await control(mock, 'GET /rate-limit')).json).toEqual({ limit: 5, window: 60_000 });
});

it('a refused request gets errors/429 of the fixture folder', async () => {
  const files = {
    'errors/429.http': 'HTTP/1.1 429 No\r\nretry-after: 9\r\nx-own: 1\r\n\r\nslow down',
  };
  const mock = await startMock(files, { rateLimit: '1/h' });
  expect(await statuses(mock, 1)).toEqual([200]);
  const { text, headers } = await ask(mock);
  expect(text).toBe('slow down');
  expect(headers).toMatchObject({
    'x-own': '1',
    'retry-after': expect.stringMatching(/^3[56]\d\d$/),
  });
});
