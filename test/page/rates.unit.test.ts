import { expect, it } from 'vitest';
import { Rates, SPAN, STEP } from '../../src/page/rates.ts';

const NOW = 1_800_000_000_000;
const SECOND = 1000;

it('requests per second are counted in bars, and the current rate over the last five seconds', () => {
  const rates = new Rates();
  // The present second is not over.
  rates.add(NOW, 6);
  rates.add(NOW - STEP * SECOND, 10);
  rates.add(NOW - 6 * SECOND, 1);
  const { bars, rate } = rates.summary(NOW);
  expect(bars).toHaveLength(SPAN / STEP);
  expect(bars.slice(-3).map((bar) => bar.rate * STEP)).toEqual([1, 10, 6]);
  expect(rate).toBe(2);
});

it('durations count in the percentiles until they are older than the chart', () => {
  const rates = new Rates();
  for (let duration = 1; duration <= 100; duration++) rates.add(NOW, 1, duration);
  expect(rates.summary(NOW)).toMatchObject({ p50: 50, p95: 95 });
  expect(rates.summary(NOW + SPAN * SECOND)).toMatchObject({ p50: null, p95: null });
});
