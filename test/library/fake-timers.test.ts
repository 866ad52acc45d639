import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ask } from '../support/client.ts';
import { writeFiles } from '../support/fixture-folder.ts';
import { startMock, startRemote } from '../support/mock.ts';
import type { MomoStartOptions } from '../support/momo-mock.ts';
import { sleep } from '../support/program.ts';

const PACKAGE = new URL('../../dist/index.js', import.meta.url);
/** Far from the present, so that a certificate that was made by this clock is not valid. */
const LONG_AGO = new Date('2001-01-01T00:00:00Z');

/** All that vitest can fake, except what stops Node itself (`nextTick`). */
const ALL = [
  ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'] as const),
  ...(['clearImmediate', 'Date', 'performance', 'queueMicrotask'] as const),
];
/** What vitest fakes by default. A start needs `queueMicrotask`, because Fastify does. */
const DEFAULT = ALL.filter((name) => name !== 'queueMicrotask');

// The modules above were loaded before, as those of a test are.
function fakeTimers(toFake: typeof ALL = DEFAULT): void {
  vi.useFakeTimers({ now: LONG_AGO, toFake });
}

beforeEach(() => () => void vi.useRealTimers());

/** Sets the fake timers before or after the mock starts. */
const ORDERS = [
  [
    'started before them',
    async (options?: MomoStartOptions) => {
      const mock = await startMock({}, options);
      fakeTimers(ALL);
      return mock;
    },
  ],
  [
    'started after them',
    async (options?: MomoStartOptions) => {
      fakeTimers();
      return await startMock({}, options);
    },
  ],
] as const;

describe.each(ORDERS)('with fake timers, a mock that was %s', (_name, start) => {
  it('responds, waits and closes while the timers of the test do not run', async () => {
    const mock = await start();
    await mock.respondWith([
      { delay: 20, status: 503 },
      { fault: { type: 'dribble', duration: 20 }, body: { late: true } },
    ]);
    expect((await ask(mock)).status).toBe(503);
    expect((await ask(mock)).json).toEqual({ late: true });
    await expect(mock.requests({ waitFor: 3, timeout: 20 })).rejects.toThrow('but 2 of 2');
    const waiting = mock.requests({ waitFor: 3 });
    await ask(mock);
    expect(await waiting).toHaveLength(3);
    // The time and the duration are those of the system.
    const [{ time, duration } = {}] = await mock.requests();
    expect(Date.parse(`${time}`)).toBeGreaterThan(Date.parse('2020-01-01'));
    expect(duration).toBeGreaterThan(10);
    await mock.setTls('expired');
    await mock.reset();
    expect((await ask(await mock.createAccount())).status).toBe(200);
    await mock.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('cuts off a client that is too slow', async () => {
    const mock = await start({ clientTimeout: 50 });
    const silent = connect(Number(new URL(mock.url).port), '127.0.0.1').on('error', () => {});
    await once(silent, 'close');
  });

  it('cuts off at a stop the requests that do not finish', async () => {
    const mock = await start({ shutdownTimeout: 50 });
    await mock.respondWith({ delay: 3_600_000 });
    const cut = ask(mock).catch(String);
    await mock.requests({ waitFor: 1 });
    await mock.close();
    expect(await cut).toContain('hang up');
  });

  it('cuts off at the deadline of a stop a handler that does not finish', async () => {
    const mock = await start({ shutdownTimeout: 50 });
    await mock.handle('GET /momo/balance', () => new Promise(() => {}));
    const cut = ask(mock).catch(String);
    await mock.requests({ waitFor: 1 });
    await mock.close();
    expect(await cut).toContain('hang up');
  });
});

it('a mock under fake timers is controlled over HTTP', async () => {
  fakeTimers();
  const mock = await startRemote();
  await mock.respondWith({ delay: 20, status: 503 });
  expect((await ask(mock)).status).toBe(503);
  await expect(mock.requests({ waitFor: 2, timeout: 20 })).rejects.toThrow('but 1 of 1');
  await mock.close();
});

// Chokidar's own timers are fake then, so that it may miss a change.
it('a mock under fake timers watches its fixtures, and starts and closes', async () => {
  fakeTimers();
  const mock = await startMock({ 'momo/balance.get.json': 1 }, { watch: true });
  writeFiles(mock.folder, { 'momo/balance.get.json': 2 });
  // Not expect.poll, which moves the fake clock.
  while ((await ask(mock)).json !== 2) await sleep(10);
  await mock.close();
});

it('the published package runs under fake timers that also replace the modules of Node', async () => {
  const code = `
    import { once } from 'node:events';
    import { get } from 'node:https';
    import { mock as fakes } from 'node:test';
    import { startMomoMock } from '${PACKAGE}';
    fakes.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'] });
    const mock = await startMomoMock();
    await mock.respondWith({ delay: 1, status: 503 });
    const target = mock.url + '/momo/balance?apikey=' + mock.apiKey;
    const [incoming] = await once(get(target, { agent: mock.agent }), 'response');
    const waited = await mock.requests({ waitFor: 2, timeout: 1 }).catch(({ code }) => code);
    await mock.close();
    console.log(incoming.statusCode, waited);`;
  const args = ['--no-warnings', '--input-type=module', '-e', code];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect({ stdout, stderr }).toEqual({ stdout: '503 MOMO_MOCK_NOT_VERIFIED\n', stderr: '' });
});
