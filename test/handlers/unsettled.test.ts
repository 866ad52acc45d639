import { expect, it, onTestFinished, vi } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock, startMockBy, type TestMock } from '../support/mock.ts';

/** One timer never settles, one is due with it, and one later. */
const FILES = {
  'momo/pay.get.js': `export default (_request, { after, state }) => {
  after(1000, () =>
    new Promise(() => {}));
  after(1000, () => state.set('with it', 1));
  after(2000, () => state.set('later', 1));
};`,
};
const OPTIONS = { clientTimeout: 300 };

it.each<[way: string, start: () => Promise<TestMock>]>([
  ['in process', () => startMock(FILES, OPTIONS)],
  ['over HTTP', () => startMockBy('over HTTP', FILES, OPTIONS)],
  [
    'with fake timers',
    async () => {
      const mock = await startMock(FILES, OPTIONS);
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      return mock;
    },
  ],
])(
  'a timer that never settles fails one advance after the client timeout, %s',
  async (_, start) => {
    const mock = await start();
    for (const by of [1500, 'idle'] as const) {
      await mock.reset();
      await mock.freeze();
      const account = await mock.createAccount();
      expect((await ask(account, '/momo/pay')).status).toBe(200);
      await expect(mock.advance(by)).rejects.toMatchObject({
        code: 'MOMO_MOCK_TIMER_FAILED',
        message: expect.stringMatching(
          /^Failed to advance the clock: the promise of a timer that was set at .*momo\/pay\.get\.js:2:3 did not settle within 300 ms, which is MOMO_MOCK_CLIENT_TIMEOUT\. Correct the handler/,
        ),
      });
      expect(await account.state.list()).toEqual([['with it', 1]]);
      // It would fail again if it waited for that timer again.
      await mock.advance(by);
      expect((await account.state.list()).map(([name]) => name)).toEqual(['later', 'with it']);
    }
  },
);

it.each([
  ['never settles', () => new Promise(() => {}), 'a timer that was set at handle() did not settle'],
  [
    'throws a text',
    () => Promise.reject('canary'),
    'a timer failed at handle(): it threw a string',
  ],
])('a timer of a function that %s is named by handle()', async (_what, act, words) => {
  const mock = await startMock({}, OPTIONS);
  await mock.handle('GET /momo/pay', (_request, { after }) => void after(0, act));
  await mock.freeze();
  await ask(mock, '/momo/pay');
  await expect(mock.advance(0)).rejects.toMatchObject({ message: expect.stringContaining(words) });
});
