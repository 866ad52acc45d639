import { expect, test } from 'vitest';
import { showHeaps, times } from './scale.ts';
import { startSubject } from './subject.ts';

const PAYMENTS = times(10_000, 300);

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
    return await subject.measureReset();
  };
  // What is made once and stays, such as compiled code, is there afterwards.
  const { end: start } = await pay(PAYMENTS / 10);
  const { full, end } = await pay(PAYMENTS);
  showHeaps(`${PAYMENTS} payments`, start.heap, full.heap, end.heap);
  expect(full.heap).toBeGreaterThan(start.heap * 1.02);
  expect(end.heap).toBeLessThan(start.heap * 1.2);
});
