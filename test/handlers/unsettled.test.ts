import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { get } from '../library/client.ts';
import { FREE_PORTS, spawnCommand, usedFolder } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { connectMomoMock, type MomoMock, startMomoMock } from '../support/momo-mock.ts';

/** One timer never settles, one is due with it, and one later. */
const HANDLER = `export default (_request, { after, state }) => {
  after(1000, () =>
    new Promise(() => {}));
  after(1000, () => state.set('with it', 1));
  after(2000, () => state.set('later', 1));
};`;

const TIMEOUT = 300;

/** What `advance` says of it, with the place where the timer was set. */
const STUCK = {
  code: 'MOMO_MOCK_TIMER_FAILED',
  message: expect.stringMatching(
    /^Failed to advance the clock: the promise of a timer that was set at .*momo\/pay\.get\.js:2:3 did not settle within 300 ms, which is MOMO_MOCK_CLIENT_TIMEOUT\. Correct the handler/,
  ),
};

function write(fixturesDir: string): string {
  mkdirSync(join(fixturesDir, 'momo'), { recursive: true });
  writeFileSync(join(fixturesDir, 'momo/pay.get.js'), HANDLER);
  return fixturesDir;
}

async function inProcess() {
  return await startMomoMock({ fixturesDir: write(temporaryFolder()), clientTimeout: TIMEOUT });
}

const WAYS: readonly (readonly [name: string, open: () => Promise<MomoMock>])[] = [
  ['in process', inProcess],
  [
    'over HTTP',
    async () => {
      const cwd = await usedFolder();
      write(join(cwd, 'fixtures'));
      const { ready } = await spawnCommand([...FREE_PORTS, '--client-timeout', `${TIMEOUT}`], {
        cwd,
      });
      return await connectMomoMock((await ready).controlUrl ?? '');
    },
  ],
  [
    'with fake timers',
    async () => {
      const mock = await inProcess();
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      return mock;
    },
  ],
];

describe.each(WAYS)('a timer whose promise never settles, %s,', (_name, open) => {
  it.each([1500, 'idle'] as const)(
    'fails an advance by %s after the client timeout, and no later one',
    async (by) => {
      const mock = await open();
      onTestFinished(() => mock.close());
      await mock.freeze();
      const account = await mock.createAccount();
      expect((await get({ ...mock, ...account }, '/momo/pay')).status).toBe(200);
      await expect(mock.advance(by)).rejects.toMatchObject(STUCK);
      expect(await account.state.list()).toEqual([['with it', 1]]);
      // It would fail again if it waited for that timer again.
      await mock.advance(by);
      expect((await account.state.list()).map(([name]) => name)).toEqual(['later', 'with it']);
    },
  );
});

it('is named by its operation where a test has set the handler', async () => {
  const mock = await startMomoMock({ clientTimeout: TIMEOUT });
  onTestFinished(() => mock.close());
  await mock.handle('GET /momo/pay', (_request, { after }) => {
    after(0, () => new Promise(() => {}));
  });
  await mock.freeze();
  await get(mock, '/momo/pay');
  await expect(mock.advance(0)).rejects.toMatchObject({
    message: expect.stringContaining('a timer that was set at handle() did not settle'),
  });
});

it('tells the place where a timer was set that throws something without a stack', async () => {
  const mock = await inProcess();
  onTestFinished(() => mock.close());
  await mock.handle('GET /momo/text', (_request, { after }) => {
    after(0, () => {
      throw 'canary';
    });
  });
  await mock.freeze();
  await get(mock, '/momo/text');
  await expect(mock.advance(0)).rejects.toMatchObject({
    message: expect.stringContaining('a timer threw an error at handle()'),
  });
});
