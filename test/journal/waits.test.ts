import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { startMock, startServer, type TestMock } from '../support/mock.ts';
import type { MomoScope, RequestsOptions } from '../support/momo-mock.ts';
import { NOTIFY, notify, SLOW, startHeldWebhook, startWebhook } from '../support/webhook.ts';
import { JOURNALS } from './journals.ts';

const FILES = { ...NOTIFY, ...SLOW };
const LONG = 600_000;

/** Sends a request that an application holds. */
async function askSlow(mock: TestMock) {
  const { url, respond } = await startHeldWebhook();
  const responded = ask(mock, '/momo/slow', { method: 'POST', body: { url } });
  const [begun] = await mock.requests({ path: '/momo/slow', ended: false, waitFor: 1 });
  expect(begun).toMatchObject({ status: null, duration: null, aborted: false });
  return async () => {
    respond();
    await responded;
  };
}

describe.each(Object.entries(JOURNALS))('a wait for %s', (_name, { add, find, verify }) => {
  it('ends as soon as there are enough, for each of many clients', async () => {
    const mock = await startMock(FILES);
    const ended: number[] = [];
    const waits = [3, 2, 1, 3, 1].map(async (waitFor) => {
      const found = await find(mock, { waitFor, timeout: LONG });
      ended.push(waitFor);
      return found.length;
    });
    expect(await find(mock, { waitFor: 0, timeout: LONG })).toEqual([]);
    await add(mock);
    await Promise.all([waits[2], waits[4]]);
    expect(ended).toEqual([1, 1]);
    await add(mock);
    expect(await waits[1]).toBe(2);
    expect(ended).toEqual([1, 1, 2]);
    await add(mock);
    expect(await Promise.all(waits)).toEqual([3, 2, 1, 3, 1]);
    expect(await find(mock, { waitFor: 3, timeout: LONG })).toHaveLength(3);
  });

  it('fails when its time is over, and says what came', async () => {
    const mock = await startMock(FILES);
    const nothing = find(mock, { waitFor: 1, timeout: 0 });
    await expect(nothing).rejects.toThrow(/ at least once within 0 ms, but 0 of 0 .*\nNo /);
    await add(mock);
    const waiting = find(mock, { waitFor: 2, timeout: 1 });
    await expect(waiting).rejects.toMatchObject({
      name: 'MomoMockError',
      code: 'MOMO_MOCK_NOT_VERIFIED',
      message: expect.stringMatching(
        /^Failed to wait: expected a \w+ at least 2 times within 1 ms, but 1 of 1 \w+ matches: \w+ 1, .*\nIf .* set a longer timeout\.$/,
      ),
    });
    const after = find(mock, { since: 1, waitFor: 1, timeout: 1 });
    await expect(after).rejects.toThrow(/ at least once after \w+ 1 within 1 ms, but 0 of 0 /);
    const failed = verify(mock, { times: 2 }, { timeout: 1 });
    await expect(failed).rejects.toMatchObject({ code: 'MOMO_MOCK_NOT_VERIFIED' });
  });

  it('of one account ignores the entries of other accounts', async () => {
    const mock = await startMock(FILES);
    const account = await mock.createAccount();
    let isOver = false;
    const waiting = find(account, { waitFor: 1, timeout: LONG }).finally(() => (isOver = true));
    await add(mock);
    expect(isOver).toBe(false);
    await add(account);
    expect(await waiting).toHaveLength(1);
  });

  it('ends when the expectation is met, and when the mock is closed', async () => {
    const mock = await startMock(FILES);
    const verified = verify(mock, [{}, {}], { timeout: LONG });
    await add(mock);
    await add(mock);
    await verified;
    const closed = expect(find(mock, { waitFor: 9, timeout: LONG })).rejects.toMatchObject({
      code: 'MOMO_MOCK_CLOSED',
    });
    const unverified = expect(verify(mock, { times: 9 }, { timeout: LONG })).rejects.toMatchObject({
      code: 'MOMO_MOCK_CLOSED',
    });
    await mock.close();
    await Promise.all([closed, unverified]);
    await expect(find(mock, {})).rejects.toMatchObject({ code: 'MOMO_MOCK_CLOSED' });
    await expect(verify(mock, {}, {})).rejects.toMatchObject({ code: 'MOMO_MOCK_CLOSED' });
  });
});

it('that fails names the closest request, and never a key', async () => {
  const mock = await startMock(FILES);
  await ask({ ...mock, apiKey: 'secret-4711' }, '/momo/balance?note=secret-4711');
  await ask(mock);
  const waiting = mock.requests({
    path: '/momo/balance',
    reason: 'key-empty',
    waitFor: 1,
    timeout: 1,
  });
  await expect(waiting).rejects.toMatchObject({
    message: expect.stringMatching(
      /^Failed to wait: expected \/momo\/balance with reason "key-empty" at least once within 1 ms, but 0 of 2 requests match\.\nThe closest is request 2, GET \/momo\/balance 200:\n {2}reason: expected "key-empty", received null\n/,
    ),
  });
  await expect(waiting).rejects.not.toThrow('4711');
});

it('counts what matches, and what comes to match', async () => {
  const mock = await startMock(FILES);
  const waiting = mock.requests({ status: 200, waitFor: 2, timeout: LONG });
  const end = await askSlow(mock);
  const next = mock.requests({ since: 1, waitFor: 1, timeout: LONG });
  await end();
  await ask({ ...mock, apiKey: '' });
  await ask(mock);
  expect((await next).map(({ id }) => id)).toContain(2);
  expect((await waiting).map(({ id }) => id)).toEqual([1, 3]);
});

it.each<[string, options: RequestsOptions, change: (mock: TestMock) => Promise<unknown>]>([
  ['has ended', { ended: false }, (mock) => mock.requests({ waitFor: 1, ended: true })],
  ['was removed', {}, (mock) => mock.reset()],
  [
    'has made room for newer ones',
    { method: 'POST' },
    async (mock) => [await ask(mock), await ask(mock), await ask(mock)],
  ],
])('a wait no longer counts a request that %s', async (_what, options, change) => {
  const mock = await startMock(FILES, { journalSize: 3 });
  let isOver = false;
  const waiting = mock
    .requests({ ...options, waitFor: 2, timeout: LONG })
    .finally(() => (isOver = true));
  const endFirst = await askSlow(mock);
  await endFirst();
  await change(mock);
  const endSecond = await askSlow(mock);
  // A further wait that ends, ends after those before it.
  await mock.requests({ waitFor: 1 });
  expect(isOver).toBe(false);
  const endThird = await askSlow(mock);
  expect(await waiting).toHaveLength(2);
  await endSecond();
  await endThird();
});

it('a wait is for the end of an attempt, and for the end of a request with the option ended', async () => {
  const mock = await startMock(FILES);
  const end = await askSlow(mock);
  const { url, respond } = await startHeldWebhook();
  await notify(mock, { url });
  await expect.poll(() => mock.webhooks()).toMatchObject([{ status: null, duration: null }]);
  expect(await mock.requests({ waitFor: 2 })).toMatchObject([{ ended: false }, { ended: true }]);
  let ended = 0;
  const waits = [
    mock.webhooks({ waitFor: 1, timeout: LONG }).finally(() => ended++),
    mock.requests({ waitFor: 2, ended: true, timeout: LONG }).finally(() => ended++),
    mock.verify([{ path: '/momo/slow', status: 200 }, {}], { timeout: LONG }),
    mock.verifyWebhooks({ status: 200 }, { timeout: LONG }),
  ];
  await expect(mock.webhooks({ waitFor: 1, timeout: 1 })).rejects.toThrow(
    'but 0 of 1 webhook matches.\n1 webhook is still in flight.',
  );
  await expect(mock.requests({ waitFor: 2, ended: true, timeout: 1 })).rejects.toThrow(
    'but 1 of 2 requests matches: request 2, ',
  );
  expect(ended).toBe(0);
  respond();
  await end();
  expect(await Promise.all(waits)).toMatchObject([
    [{ status: 200, duration: expect.any(Number) }],
    [{ ended: true }, { ended: true }],
    undefined,
    undefined,
  ]);
});

it('a verification sees that a client gave up after its timeout, even during a dribble', async () => {
  const mock = await startMock();
  for (const fault of ['hang', { type: 'dribble', duration: LONG }] as const) {
    await mock.reset();
    await mock.respondWith({ fault });
    const gone = new AbortController();
    const asked = expect(ask(mock, undefined, { signal: gone.signal })).rejects.toThrow();
    const [begun] = await mock.requests({
      waitFor: 1,
      fault: fault === 'hang' ? fault : 'dribble',
    });
    expect(begun).toMatchObject({ ended: false, aborted: false });
    const verified = mock.verify({ path: '/momo/balance', aborted: true }, { timeout: LONG });
    gone.abort();
    await Promise.all([asked, verified]);
    const failed = mock.verify({ aborted: false });
    await expect(failed).rejects.toThrow('aborted: expected false, received true');
  }
});

it.each(Object.entries(JOURNALS))(
  'the journal of %s is emptied by the library, of an account or of all accounts',
  async (name, { add, find }) => {
    const mock = await startMock(FILES);
    const account = await mock.createAccount();
    const clear = async (scope: MomoScope) =>
      name === 'requests' ? scope.clearRequests() : scope.clearWebhooks();
    const counts = async () => [(await find(mock)).length, (await find(account)).length];
    await add(account);
    await add(mock);
    await clear(account);
    expect(await counts()).toEqual([1, 0]);
    await add(account);
    await clear(mock);
    expect(await counts()).toEqual([0, 0]);
  },
);

describe('a wait over HTTP', () => {
  it.each([
    ['/requests?waitFor=2&timeout=1&status=503', '/momo/notify'],
    ['/webhooks?waitFor=2&timeout=1&status=503', 'http'],
  ])('GET %s gets a 422 with the closest entries', async (path, closest) => {
    const mock = await startMock(FILES, { control: true });
    await notify(mock, { url: (await startWebhook()).url });
    await mock.webhooks({ waitFor: 1 });
    const { status, json } = await control(mock, `GET ${path}`);
    expect(status).toBe(422);
    expect(json).toMatchObject({
      error: {
        code: 'MOMO_MOCK_NOT_VERIFIED',
        message: expect.stringContaining('status: expected 503, received 200'),
      },
    });
    expect(JSON.stringify((json as { closest: unknown }).closest)).toContain(closest);
  });

  it.each([
    ['GET', '/requests?waitFor=9'],
    ['GET', '/webhooks?waitFor=9'],
    ['POST', '/verify?'],
    ['POST', '/verify/webhooks?'],
  ])(
    'with %s %s gets an error when the mock stops, long before its deadline',
    async (method, path) => {
      const mock = await startServer({}, { SHUTDOWN_TIMEOUT: '3600000' });
      await ask(mock);
      const { port } = new URL(`${mock.controlUrl}`);
      const client = connect({ port: Number(port), host: 'localhost' }).setEncoding('utf8');
      const content = 'content-type: application/json\r\ncontent-length: 14\r\n\r\n{"status":418}';
      // The second has arrived when the first gets its response.
      const first = 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n';
      const second = `${method} ${path}&timeout=600000 HTTP/1.1\r\nhost: localhost\r\n`;
      client.write(first + second + (method === 'GET' ? '\r\n' : content));
      await once(client, 'data');
      const [response] = await Promise.all([text(client), mock.close()]);
      expect(response).toMatch(/^HTTP\/1.1 503 .*"code":"MOMO_MOCK_CLOSED"/s);
    },
  );
});
