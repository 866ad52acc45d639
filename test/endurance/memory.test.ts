import { expect, it } from 'vitest';
import { showHeaps, times } from './scale.ts';
import { type Subject, startSubject } from './subject.ts';

const ACCOUNTS = times(10_000, 500);
const REQUESTS = times(100_000, 2000);
const PAYMENTS = times(10_000, 300);

/** What payments came to: the timers before the clock moves, and the payments as they were called. */
interface Paid {
  readonly pending: number;
  readonly called: readonly number[];
}

const use = (subject: Subject, part: number) =>
  subject.ask('use', { accounts: ACCOUNTS * part, requests: REQUESTS * part });

/** All are called in order of their due times, each 1 ms before the one that was made before it. */
async function pay(subject: Subject, part: number): Promise<void> {
  const count = PAYMENTS * part;
  const called = Array.from({ length: count }, (_, at) => count - 1 - at);
  expect(await subject.ask<Paid>('pay', count)).toEqual({ pending: count, called });
}

it.each([
  [`${ACCOUNTS} accounts and ${REQUESTS} requests`, {}, use, 1.1],
  [`${PAYMENTS} payments at once with their callbacks`, { control: true }, pay, 1.02],
])(
  'a reset gives back the memory of %s',
  { timeout: 1_200_000 },
  async (what, options, act, least) => {
    const subject = startSubject();
    await subject.ask('start', options);
    // What is made once and stays, such as compiled code, is there afterwards.
    await act(subject, 0.1);
    const { end: start } = await subject.measureReset();
    await act(subject, 1);
    const { full, end } = await subject.measureReset();
    showHeaps(what, start.heap, full.heap, end.heap);
    expect(full.heap).toBeGreaterThan(start.heap * least);
    expect(end.heap).toBeLessThan(start.heap * 1.2);
  },
);
