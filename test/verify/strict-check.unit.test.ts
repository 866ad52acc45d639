import { describe, expect, onTestFinished, test } from 'vitest';
import { type ExpectedRequests, startMomoMock } from '../../src/index.ts';
import { beginStrictCheck } from '../../src/runners/strict-check.ts';
import { ask } from '../support/client.ts';

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

  test('fails for a scripted response that was not used', async () => {
    const { account, end } = await strictTest();
    await account.respondWith({ status: 503, times: 2 });
    await ask(account);
    expect(await end()).toContain('1 of 2 left of {"status":503}');
  });

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

  test('not after a verification that failed', async () => {
    const { account, miss, end } = await strictTest();
    await miss();
    await expect(account.verify({ reason: 'unknown-path', times: 2 })).rejects.toThrow();
    expect(await end()).toContain('1 request was refused');
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
