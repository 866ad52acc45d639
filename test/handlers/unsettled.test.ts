import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock, startRemote, type TestMock } from '../support/mock.ts';

/** One timer never settles, one is due with it, and one later. */
const FILES = {
  'momo/pay.get.js': `export default (_request, { after, state }) => {
  after(1000, () =>
    new Promise(() => {}));
  after(1000, () => state.set('with it', 1));
  after(2000, () => state.set('later', 1));
};`,
};
/** Longer than a handshake takes, which it limits too. */
const OPTIONS = { clientTimeout: 5000 };

/** Expects that one advance fails, and that the next one goes on behind the timer that never settles. */
async function expectOneFailure(mock: TestMock, by: number | 'idle'): Promise<void> {
  await mock.freeze();
  const account = await mock.createAccount();
  expect((await ask(account, '/momo/pay')).status).toBe(200);
  await expect(mock.advance(by)).rejects.toMatchObject({
    code: 'MOMO_MOCK_TIMER_FAILED',
    message: expect.stringMatching(
      /^Failed to advance the clock: the promise of a timer that was set at .*momo\/pay\.get\.js:2:3 did not settle within 5000 ms, which is MOMO_MOCK_CLIENT_TIMEOUT\. Correct the handler/,
    ),
  });
  expect(await account.state.list()).toEqual({ 'with it': 1 });
  // It would fail again if it waited for that timer again.
  await mock.advance(by);
  expect(Object.keys(await account.state.list())).toEqual(['later', 'with it']);
}

describe.each([
  ['with Node timers', () => {}],
  [
    'with fake timers',
    () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
    },
  ],
])('%s', (_timers, prepare) => {
  it('a timer that never settles fails one advance after the client timeout', async () => {
    // All at once, since each takes the timeout.
    const calls = [startMock, startRemote].flatMap((start) =>
      ([1500, 'idle'] as const).map((by) => ({ start, by })),
    );
    const mocks = await Promise.all(calls.map(({ start }) => start(FILES, OPTIONS)));
    prepare();
    const ended = mocks.map((mock, index) => expectOneFailure(mock, calls[index]?.by ?? 0));
    await Promise.all(ended);
  });
});

it.each([
  ['never settles', () => new Promise(() => {}), 'a timer that was set at handle() did not settle'],
  [
    'throws a string',
    () => Promise.reject('canary'),
    'a timer failed at handle(): it threw a string',
  ],
])('the error about a timer of a handler that %s names handle()', async (_what, act, words) => {
  const mock = await startMock({}, OPTIONS);
  await mock.handle('GET /momo/pay', (_request, { after }) => void after(0, act));
  await mock.freeze();
  await ask(mock, '/momo/pay');
  await expect(mock.advance(0)).rejects.toMatchObject({ message: expect.stringContaining(words) });
});
