import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ask } from '../support/client.ts';
import { type Start, startMock, startMockBy, type Way } from '../support/mock.ts';

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

/** What `advance` says of it, with the place where the timer was set. */
const STUCK = {
  code: 'MOMO_MOCK_TIMER_FAILED',
  message: expect.stringMatching(
    /^Failed to advance the clock: the promise of a timer that was set at .*momo\/pay\.get\.js:2:3 did not settle within 300 ms, which is MOMO_MOCK_CLIENT_TIMEOUT\. Correct the handler/,
  ),
};

const by =
  (way: Way): Start =>
  (files, options) =>
    startMockBy(way, files, options);

const WAYS: readonly (readonly [way: string, start: Start])[] = [
  ['in process', by('in process')],
  ['over HTTP', by('over HTTP')],
  [
    'with fake timers',
    async (files, options) => {
      const mock = await startMock(files, options);
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      return mock;
    },
  ],
];

describe.each(WAYS)('a timer whose promise never settles, %s,', (_way, start) => {
  it.each([1500, 'idle'] as const)(
    'fails an advance by %s after the client timeout, and no later one',
    async (by) => {
      const mock = await start(FILES, OPTIONS);
      await mock.freeze();
      const account = await mock.createAccount();
      expect((await ask(account, '/momo/pay')).status).toBe(200);
      await expect(mock.advance(by)).rejects.toMatchObject(STUCK);
      expect(await account.state.list()).toEqual([['with it', 1]]);
      // It would fail again if it waited for that timer again.
      await mock.advance(by);
      expect((await account.state.list()).map(([name]) => name)).toEqual(['later', 'with it']);
    },
  );
});

it.each([
  ['never settles', () => new Promise(() => {}), 'a timer that was set at handle() did not settle'],
  ['throws a text', () => Promise.reject('canary'), 'a timer threw an error at handle()'],
])('a timer of a function that %s is named by handle()', async (_what, act, words) => {
  const mock = await startMock({}, OPTIONS);
  await mock.handle('GET /momo/pay', (_request, { after }) => {
    after(0, act);
    return undefined;
  });
  await mock.freeze();
  await ask(mock, '/momo/pay');
  await expect(mock.advance(0)).rejects.toMatchObject({ message: expect.stringContaining(words) });
});
