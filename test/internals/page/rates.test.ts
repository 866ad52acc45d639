import { expect, it } from 'vitest';
import { Rates, SPAN, STEP } from '../../../src/page/rates.ts';

const NOW = 1_800_000_000_000;
const SECOND = 1000;

it('requests a second are counted in bars, and now over the last five seconds', () => {
  const rates = new Rates();
  // The present second is not over.
  rates.begin(NOW, 6);
  rates.begin(NOW - STEP * SECOND, 10);
  rates.begin(NOW - 6 * SECOND);
  const { bars, highestRate, rate } = rates.summary(NOW);
  expect(bars).toHaveLength(SPAN / STEP);
  expect(bars.slice(-3).map((bar) => bar.rate * STEP)).toEqual([1, 10, 6]);
  expect([highestRate, rate]).toEqual([10 / STEP, 2]);
});

it('durations have percentiles, until they are older than the chart', () => {
  const rates = new Rates();
  const none = { p50: null, p95: null, highestDuration: 0 };
  expect(rates.summary(NOW)).toMatchObject(none);
  for (let duration = 1; duration <= 100; duration++) rates.end(NOW, duration);
  expect(rates.summary(NOW)).toMatchObject({ p50: 50, p95: 95, highestDuration: 95 });
  expect(rates.summary(NOW + SPAN * SECOND)).toMatchObject(none);
  // Also for a clock that is set back.
  expect(rates.summary(NOW)).toMatchObject(none);
});
