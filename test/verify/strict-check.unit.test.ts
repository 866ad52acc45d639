import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type ExpectedRequests,
  type ExpectedWebhooks,
  type MomoMock,
  startMomoMock,
} from '../../src/index.ts';
import { beginStrictCheck } from '../../src/runners/strict-check.ts';
import { ask } from '../support/client.ts';
import { startHeldWebhook, startWebhook } from '../support/webhook.ts';

/** A mock and a strict test on it: its account, how it sends requests, and its end. */
async function strictTest({ isAlone = true, mock = startMomoMock() } = {}) {
  const shared = await mock;
  onTestFinished(() => shared.close());
  const account = await shared.createAccount();
  const endCheck = await beginStrictCheck(shared, account, isAlone);
  const end = () =>
    endCheck().then(
      () => 'passed',
      ({ code, message }) => {
        expect(code).toBe('MOMO_MOCK_NOT_VERIFIED');
        return message as string;
      },
    );
  /** Asks for a path that there is not. */
  const miss = (path = '/missing') => ask(account, path);
  /** Asks with a key that there is not. */
  const wrongKey = () => ask({ ...account, apiKey: 'wrong' });
  return { mock: shared, account, miss, wrongKey, end };
}

describe('a strict test', () => {
  test('passes if every request got a normal response and every scripted response was used', async () => {
    const { account, end } = await strictTest();
    await account.respondWith({ status: 503 });
    await ask(account);
    await ask(account);
    expect(await end()).toBe('passed');
  });

  test('fails for a refusal by a handler, unless it expects the reason', async () => {
    for (const isExpected of [false, true]) {
      const { mock, account, end } = await strictTest();
      await mock.handle('POST /pay', () => ({ status: 402, reason: 'wrong-pin', body: {} }));
      await ask(account, '/pay', { method: 'POST' });
      if (isExpected) await account.verify({ reason: 'wrong-pin' });
      const ended = await end();
      if (isExpected) expect(ended).toBe('passed');
      else expect(ended).toMatch(/\{ reason: 'wrong-pin' \}\)\.\n {2}POST \/pay 402 wrong-pin\.$/);
    }
  });

  test('fails for a scripted response that was not used', async () => {
    const { account, end } = await strictTest();
    await account.respondWith({ status: 503, times: 2 });
    await ask(account);
    expect(await end()).toContain('1 of 2 left of {"status":503}');
  });

  test('fails for what it scripted for the mock and did not use, unless it shares the mock', async () => {
    const left = async (isAlone: boolean, script: (mock: MomoMock) => Promise<void>) => {
      const { mock, end } = await strictTest({ isAlone });
      await script(mock);
      return await end();
    };
    const scripts: ((mock: MomoMock) => Promise<void>)[] = [
      (mock) => mock.respondWith({ status: 503 }),
      (mock) => mock.account().respondWith({ status: 503 }),
      (mock) => mock.scriptWebhooks([{ lose: true }]),
    ];
    for (const script of scripts) {
      expect(await left(true, script)).toContain('not used');
      expect(await left(false, script)).toBe('passed');
    }
  });

  test('does not fail for what the mock had before', async () => {
    const mock = await startMomoMock();
    await mock.respondWith({ operation: 'GET /momo/balance', status: 503 });
    const { end } = await strictTest({ mock: Promise.resolve(mock) });
    expect(await end()).toBe('passed');
  });

  test.each([0, { max: 0 }])(
    'fails for a refused request and a lost webhook of which it verified before that there are %j',
    async (times) => {
      const requests = await strictTest();
      await requests.account.verify({ reason: 'unknown-path', times });
      await requests.miss();
      expect(await requests.end()).toContain('1 request was refused unexpectedly');
      const webhooks = await strictTest();
      await webhooks.account.verifyWebhooks({ reason: 'connection-failed', times });
      await webhooks.account.sendWebhook({ url: 'http://localhost:9/' });
      expect(await webhooks.end()).toContain('1 webhook did not get through');
    },
  );

  test('fails for a refused request, with the request, its hint and what to do', async () => {
    const { miss, end } = await strictTest();
    await miss();
    const [text, ...lines] = (await end()).split('\n');
    expect(text).toBe(
      "Failed to verify: 1 request was refused unexpectedly. Correct the code under test, or expect the refusal: await momo.verify({ reason: 'unknown-path' }).",
    );
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}GET \/missing 404 unknown-path\. No fixture file has this path/),
    ]);
  });

  test('fails for a request without a valid key, and names the verification that finds it', async () => {
    const { wrongKey, end } = await strictTest();
    await wrongKey();
    expect(await end()).toContain("await momoMock.verify({ reason: 'key-unknown' })");
  });

  test('passes if the test verified a refused request by its path, in any spelling', async () => {
    const { account, miss, wrongKey, mock, end } = await strictTest();
    await miss('/mis%73ing');
    await account.verify({ path: '/%6Dissing', times: 1 });
    await wrongKey();
    await mock.verify({ path: '/MOMO/balance/', times: 1 });
    expect(await end()).toBe('passed');
  });

  test('that fails for many refused requests counts all of them and lists ten', async () => {
    const { miss, end } = await strictTest();
    for (let count = 0; count < 11; count++) await miss();
    const [text, ...lines] = (await end()).split('\n');
    expect(text).toContain('Failed to verify: 11 requests were refused unexpectedly.');
    expect(lines).toHaveLength(10);
  });
});

describe('a refused request is expected', () => {
  test.each<[string, ExpectedRequests]>([
    ['its reason', { reason: 'unknown-path' }],
    ['its status', { status: 404 }],
    ['its method in lower case', { method: 'get', status: 404 }],
    ['its path', { path: '/missing' }],
    ['a list', [{ status: 404 }]],
    ['an exact list', { exactly: [{ status: 404 }] }],
  ])('after a verification of %s', async (_what, expected) => {
    const { account, miss, end } = await strictTest();
    await miss();
    await account.verify(expected);
    expect(await end()).toBe('passed');
  });

  test.each<[string, ExpectedRequests]>([
    ['another reason', { reason: 'wrong-method', times: 0 }],
    ['another status', { status: 200 }],
    ['another method', { method: 'POST', times: 0 }],
    ['another path', { path: '/momo/balance' }],
    ['an operation', { operation: 'GET /momo/balance' }],
  ])('not after a verification of %s', async (_what, expected) => {
    const { account, miss, end } = await strictTest();
    await ask(account);
    await miss();
    await account.verify(expected);
    expect(await end()).toContain('1 request was refused');
  });

  test('after a verification of the path of its operation', async () => {
    const { mock, account, miss, end } = await strictTest();
    await mock.handle('GET /status/:reference', () => {
      throw new Error('broken');
    });
    await miss('/status/7f3a');
    await account.verify({ path: '/status/:reference' });
    expect(await end()).toBe('passed');
  });

  test('after a verification of a body, as far as the journal shows it', async () => {
    const { account, end } = await strictTest();
    const body = { token: 'abc-1234', note: 'a abc-1234' };
    await ask(account, '/missing', { method: 'POST', body });
    await account.verify({ reason: 'unknown-path', body, times: 1 });
    expect(await end()).toBe('passed');
    await ask(account, '/missing', { method: 'POST', body: 'token=abc-1234' });
    await account.verify({ reason: 'unknown-path', body: 'token=abc-1234', times: 1 });
    expect(await end()).toBe('passed');
  });

  test('not after a verification of another body', async () => {
    const { account, end } = await strictTest();
    await ask(account, '/missing', { method: 'POST', body: { amount: 1 } });
    await ask(account, '/missing', { method: 'POST', body: { amount: 2 } });
    await account.verify({ reason: 'unknown-path', body: { amount: 1 } });
    expect(await end()).toContain('1 request was refused');
    await account.verify({ reason: 'unknown-path', body: { amount: 2 } });
    expect(await end()).toBe('passed');
  });

  test('not after a verification that failed', async () => {
    const { account, miss, end } = await strictTest();
    await miss();
    await expect(account.verify({ reason: 'unknown-path', times: 2 })).rejects.toThrow();
    expect(await end()).toContain('1 request was refused');
  });
});

const SIGN = { secret: 'shared secret', header: 'x-signature' };

describe('a webhook that did not get through', () => {
  test('fails a test, with its last attempt, the hint and what to do', async () => {
    const { account, end } = await strictTest();
    await account.freeze();
    const { url } = await startWebhook(500);
    await account.sendWebhook({ url, retry: [1000] });
    await account.advance('idle');
    await account.sendWebhook({ url: 'http://127.0.0.1:9/' });
    expect((await end()).split('\n')).toEqual([
      'Failed to verify: 2 webhooks did not get through. Correct the application, advance the clock for further attempts, or expect it: await momo.verifyWebhooks({ status: 500 }).',
      `  POST ${url} attempt 2: 500.`,
      expect.stringMatching(
        /^ {2}POST http:\/\/127\.0\.0\.1:9\/ attempt 1: connection-failed\. The connection failed/,
      ),
    ]);
  });

  test('does not count if a retry or another send got through, by the statuses that it accepts', async () => {
    const { account, end } = await strictTest();
    const statuses = [500, 409];
    const { url } = await startWebhook((_request, response) => {
      response.writeHead(statuses.shift() ?? 500).end();
    });
    await account.sendWebhook({ url, retry: [1000], accept: [409] });
    await account.advance('idle');
    expect(await end()).toBe('passed');
  });

  test('counts if its status is 200, which it does not accept', async () => {
    const { account, end } = await strictTest();
    const { url } = await startWebhook(200);
    await account.sendWebhook({ url, accept: [201] });
    expect(await end()).toContain('attempt 1: 200.');
  });

  test('does not count if the test has lost it, or forged it and the application refused it', async () => {
    const { account, end } = await strictTest();
    const { url } = await startWebhook(401);
    await account.scriptWebhooks([{ lose: true }, { forge: 'signature' }]);
    await account.sendWebhook({ url });
    await account.sendWebhook({ url, body: 'x', sign: SIGN });
    expect(await end()).toBe('passed');
  });

  test('is a forgery that did not happen, or that did not arrive', async () => {
    const { account, end } = await strictTest();
    await account.scriptWebhooks([{ forge: 'signature' }, { forge: 'signature' }]);
    const url = 'http://127.0.0.1:9/';
    await account.sendWebhook({ url });
    await account.sendWebhook({ url, body: 'x', sign: SIGN });
    const message = await end();
    expect(message).toContain('2 webhooks did not get through');
    expect(message).toContain("await momo.verifyWebhooks({ reason: 'not-forged' })");
    expect(message).toContain('not-forged. It was not sent, because it has nothing to forge');
  });

  test('gets time to end, and fails a test if it does not', { timeout: 60_000 }, async () => {
    const { account, end } = await strictTest();
    const app = await startHeldWebhook();
    const sent = account.sendWebhook({ url: app.url });
    await expect.poll(() => app.calls.length).toBe(1);
    expect(await end()).toContain('attempt 1: still in flight.');
    const ended = end();
    app.respond();
    await sent;
    expect(await ended).toBe('passed');
  });

  test('counts if it is due when the test ends', async () => {
    const { account, end } = await strictTest();
    await account.respondWith({ webhook: { url: 'http://127.0.0.1:9/' } });
    await ask(account);
    expect(await end()).toContain('attempt 1: connection-failed.');
  });

  test('does not count if it is due later, or if the test froze the clock', async () => {
    const { account, end } = await strictTest();
    const webhook = { url: 'http://127.0.0.1:9/' };
    await account.respondWith({ webhook: { ...webhook, delay: 60_000 } });
    await ask(account);
    expect(await end()).toBe('passed');
    await account.freeze();
    await account.respondWith({ webhook });
    await ask(account);
    expect(await end()).toBe('passed');
  });

  test('is expected after a verification of its body, but others with this status are not', async () => {
    const { account, end } = await strictTest();
    const { url } = await startWebhook(500);
    await account.sendWebhook({ url, body: { data: { status: 'pending', ids: [1, 2] } } });
    await account.verifyWebhooks({ status: 500, body: { data: { ids: [1, 2] } } });
    expect(await end()).toBe('passed');
    await account.sendWebhook({ url, body: { data: { status: 'success', ids: [1] } } });
    await account.sendWebhook({ url, body: 'as text' });
    expect(await end()).toContain('2 webhooks did not get through');
    await account.verifyWebhooks([{ status: 500, body: { data: { status: 'success' } } }]);
    await account.verifyWebhooks({ status: 500, body: 'text' });
    expect(await end()).toBe('passed');
  });

  test('of another account does not count', async () => {
    const { mock, end } = await strictTest();
    await (await mock.createAccount()).sendWebhook({ url: 'nothing' });
    expect(await end()).toBe('passed');
  });

  test.each<[string, ExpectedWebhooks]>([
    ['its status', { status: 500 }],
    ['its status, with its body', { status: 500, body: 'x', times: 2 }],
    ['its last attempt', { status: 500, attempt: 2 }],
    ['a list', [{ attempt: 1 }, { status: 500 }]],
    ['an exact list', { exactly: [{ status: 500, times: 2 }] }],
  ])('is expected after a verification of %s', async (_what, expected) => {
    const { mock, account, end } = await strictTest();
    const { url } = await startWebhook(500);
    await account.sendWebhook({ url, body: 'x', retry: [1] });
    await account.advance('idle');
    await mock.verifyWebhooks(expected);
    expect(await end()).toBe('passed');
  });

  test.each<[string, ExpectedWebhooks]>([
    ['its body and URL alone', { body: 'x', method: 'POST' }],
    ['its first attempt', { status: 500, attempt: 1 }],
    ['another status that did not happen', { status: 200, times: 0 }],
    ['no such webhook, before it was sent', { status: 500, url: 'http://a/', times: 0 }],
  ])('is not expected after a verification of %s', async (_what, expected) => {
    const { account, end } = await strictTest();
    const { url } = await startWebhook(500);
    await account.sendWebhook({ url, body: 'x', retry: [1] });
    await account.advance('idle');
    await account.verifyWebhooks(expected);
    expect(await end()).toContain('1 webhook did not get through');
  });
});

describe('a request without a valid key', () => {
  test('fails a test that runs alone, unless it is verified on the mock', async () => {
    const { mock, wrongKey, end } = await strictTest();
    await wrongKey();
    expect(await end()).toContain('GET /momo/balance 401 key-unknown');
    const other = await strictTest({ mock: Promise.resolve(mock) });
    await other.wrongKey();
    await mock.verify({ reason: 'key-unknown' });
    expect(await other.end()).toBe('passed');
  });

  test('of an earlier test does not count', async () => {
    const first = await strictTest();
    await first.wrongKey();
    const second = await strictTest({ mock: Promise.resolve(first.mock) });
    expect(await second.end()).toBe('passed');
  });

  test('does not count while other tests run, because it may be theirs', async () => {
    const { wrongKey, end } = await strictTest({ isAlone: false });
    await wrongKey();
    expect(await end()).toBe('passed');
  });
});

test('a refused request of another account does not count in a strict test', async () => {
  const { mock, end } = await strictTest();
  await ask(await mock.createAccount(), '/missing');
  expect(await end()).toBe('passed');
});

test('a verification on the mock counts for all running tests, and for no later ones', async () => {
  const first = await strictTest({ isAlone: false });
  const second = await strictTest({ isAlone: false, mock: Promise.resolve(first.mock) });
  await first.miss();
  await second.miss();
  await first.mock.verify({ reason: 'unknown-path', times: 2 });
  expect([await first.end(), await second.end()]).toEqual(['passed', 'passed']);
  const later = await strictTest({ isAlone: false, mock: Promise.resolve(first.mock) });
  await later.miss();
  expect(await later.end()).toContain('1 request was refused');
});
