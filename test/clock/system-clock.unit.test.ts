import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { DAY_MS } from '../../src/tls/self-signed.ts';
import { ask } from '../support/client.ts';
import { startServer } from '../support/mock.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));

const HOUR = 3_600_000;
const YEARS = 3650 * DAY_MS;

beforeEach(() => () => void vi.useRealTimers());

test.each([
  ['forward', YEARS],
  ['back', -YEARS],
])(
  'a system clock that steps years %s delays nothing, cuts nothing off and changes no order',
  async (_name, step) => {
    const mock = await startServer();
    const impatient = await startServer({}, { CLIENT_TIMEOUT: '2000' });
    const silent = connect(impatient.port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void silent.destroy());
    const closed = once(silent, 'close');
    await once(silent, 'connect');
    const { responses, requests } = mock.mock.account('good');
    await responses.add([{ delay: 100, status: 503 }, { status: 200 }]);
    const delayed = ask(mock);
    await requests.find({ waitFor: 1 });
    const wait = expect(requests.find({ waitFor: 9, timeout: 100 })).rejects.toThrow('1 of 1');
    const before = Date.now();

    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(before + step);
    expect((await delayed).status).toBe(503);
    await wait;
    expect((await ask(mock)).status).toBe(200);
    await closed;

    const entries = (await requests.find({})).entries;
    expect(entries.map(({ id }) => id)).toEqual(
      entries.map(({ id }) => id).toSorted((a, b) => a - b),
    );
    expect(entries.map((entry) => entry.status)).toEqual([503, 200]);
    const [first, second] = entries.map(({ time }) => Date.parse(time));
    expect(Math.sign((second ?? 0) - (first ?? 0))).toBe(Math.sign(step));
    for (const { duration } of entries) {
      expect(duration).toBeGreaterThanOrEqual(0);
      expect(duration).toBeLessThan(HOUR / 2);
    }
  },
);

test('a mock that runs for a year logs that its certificate expires soon', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const mock = await startServer();
  vi.advanceTimersByTime(390 * DAY_MS);
  const said = mock.records.map(({ msg }) => String(msg));
  expect(said.filter((text) => text.includes('expires at'))).not.toHaveLength(0);
});

test('a system clock that steps a year ends no prompt', async () => {
  const mock = await startServer();
  const { prompts, clock } = mock.mock.account('good');
  prompts.ask({ title: 'a', text: 'b', choices: ['c'], timeout: HOUR }, () => {}, {});
  const before = clock.now();
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + YEARS);
  expect(clock.now() - before).toBeLessThan(HOUR);
  await clock.advance('idle');
  await clock.advance(HOUR / 2);
  expect(clock.state.prompts).toBe(1);
});
