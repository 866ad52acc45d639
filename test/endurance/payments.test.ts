import { expect, test } from 'vitest';
import { show, times } from './scale.ts';
import { startSubject } from './subject.ts';

const PAYMENTS = times(10_000, 300);
const MB = 1024 * 1024;

interface Paid {
  /** The timers before the clock moves. */
  readonly pending: number;
  /** The payments in the order of their callbacks. */
  readonly called: readonly number[];
}

test('payments with callbacks at once are all called in order of their due times, and a reset gives their memory back', {
  timeout: 600_000,
}, async () => {
  const subject = startSubject();
  await subject.ask('start', { control: true });
  const pay = async (payments: number) => {
    const { pending, called } = await subject.ask<Paid>('pay', payments);
    expect(pending).toBe(payments);
    // Each is due 1 ms before the one that was made before it.
    expect(called).toEqual(Array.from({ length: payments }, (_, at) => payments - 1 - at));
    const full = await subject.measure();
    await subject.ask('reset');
    return { full, end: await subject.measure() };
  };
  // What is made once and stays, such as compiled code, is there afterwards.
  const { end: start } = await pay(PAYMENTS / 10);
  const { full, end } = await pay(PAYMENTS);
  show(
    `${PAYMENTS} payments: heap ${(start.heap / MB).toFixed(1)} MB before, ` +
      `${(full.heap / MB).toFixed(1)} MB with them, ${(end.heap / MB).toFixed(1)} MB after a reset`,
  );
  expect(full.heap).toBeGreaterThan(start.heap * 1.02);
  expect(end.heap).toBeLessThan(start.heap * 1.2);
});
