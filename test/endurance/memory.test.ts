import { expect, it } from 'vitest';
import { show, times } from './scale.ts';
import { type Subject, startSubject } from './subject.ts';

const ACCOUNTS = times(10_000, 500);
const REQUESTS = times(100_000, 2000);
const PAYMENTS = times(10_000, 300);

const use = (subject: Subject, part: number) =>
  subject.ask('use', { accounts: ACCOUNTS * part, requests: REQUESTS * part });

/** All are called in order of their due times, each 1 ms before the one that was made before it. */
async function pay(subject: Subject, part: number) {
  const count = PAYMENTS * part;
  const called = Array.from({ length: count }, (_, at) => count - 1 - at);
  expect(await subject.ask('pay', count)).toEqual({ pending: count, called });
}

it.each<[string, object, typeof use, number]>([
  [`${ACCOUNTS} accounts and ${REQUESTS} requests`, {}, use, 1.1],
  [`${PAYMENTS} payments at once with their callbacks`, { control: true }, pay, 1.02],
])('a reset gives back the memory of %s', { timeout: 1_200_000 }, async (what, ...rest) => {
  const [options, act, least] = rest;
  const subject = startSubject();
  await subject.ask('start', options);
  const heapAfterReset = async () => {
    await subject.ask('reset');
    return (await subject.measure()).heap;
  };
  // What is made once and stays, such as compiled code, is there afterwards.
  await act(subject, 0.1);
  const before = await heapAfterReset();
  await act(subject, 1);
  const { heap: full } = await subject.measure();
  const end = await heapAfterReset();
  const [one, two, three] = [before, full, end].map(
    (heap) => `${(heap / 1024 ** 2).toFixed(1)} MB`,
  );
  show(`${what}: heap ${one} before, ${two} with them, ${three} after a reset`);
  expect(full).toBeGreaterThan(before * least);
  expect(end).toBeLessThan(before * 1.2);
});
