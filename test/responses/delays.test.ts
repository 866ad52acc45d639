import { expect, it, onTestFinished } from 'vitest';
import { ask } from '../support/client.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import { readDelay } from '../support/program.ts';

const HOUR = 3_600_000;

/** Sends a request that is not waited for; it is broken off when the test is over. */
function askAndLeave(mock: TestMock): { hasResponse: boolean } {
  const held = { hasResponse: false };
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  ask(mock, '/momo/balance', { signal: gone.signal }).then(
    () => {
      held.hasResponse = true;
    },
    () => {},
  );
  return held;
}

it('a delay holds one response while others pass it', async () => {
  const mock = await startMock();
  await mock.respondWith([
    { delay: HOUR, status: 503 },
    { delay: 1, status: 500 },
  ]);
  const held = askAndLeave(mock);
  await mock.requests({ waitFor: 1 });
  expect((await ask(mock)).status).toBe(500);
  expect((await ask(mock)).status).toBe(200);
  expect(held.hasResponse).toBe(false);
  const [first] = await mock.requests();
  expect(first).toMatchObject({ status: null, duration: null, aborted: false });
});

it('a seed draws the same delays again', async () => {
  const mock = await startMock();
  // So wide, and so chosen, that each draw is next to nothing or the longest there is.
  const delay = { median: 1000, sigma: 10, seed: 544 };
  const draw = readDelay(delay);
  const isLong = Array.from({ length: 6 }, () => draw() > HOUR / 2);
  expect(new Set(isLong).size).toBe(2);
  for (const round of [1, 2]) {
    await mock.reset();
    await mock.respondWith({ delay, status: 503, times: isLong.length });
    const held = [];
    for (const [index, long] of isLong.entries()) {
      if (long) held.push(askAndLeave(mock));
      else expect((await ask(mock)).status, `round ${round}, ${index}`).toBe(503);
      await mock.requests({ waitFor: index + 1 });
    }
    expect((await ask(mock)).status).toBe(200);
    expect(held.map(({ hasResponse }) => hasResponse)).toEqual(held.map(() => false));
  }
});
