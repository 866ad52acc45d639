import { expect, it } from 'vitest';
import { Rates, SPAN, STEP } from '../../../src/page/rates.ts';

const NOW = 1_800_000_000_000;
const SECOND = 1000;

it('counts requests a second in bars, the newest last', () => {
  const rates = new Rates();
  for (let count = 0; count < 6; count++) rates.begin(NOW);
  rates.begin(NOW - STEP * SECOND);
  const { bars, highestRate } = rates.summary(NOW);
  expect(bars).toHaveLength(SPAN / STEP);
  expect(bars.slice(-3).map(({ rate }) => rate)).toEqual([0, 1 / STEP, 6 / STEP]);
  expect(highestRate).toBe(6 / STEP);
});

it('takes the rate of the last five seconds, without the one that is not over', () => {
  const rates = new Rates();
  for (let count = 0; count < 10; count++) rates.begin(NOW - SECOND);
  for (let count = 0; count < 99; count++) rates.begin(NOW);
  rates.begin(NOW - 6 * SECOND);
  expect(rates.summary(NOW).rate).toBe(2);
});

it('takes the percentiles of durations', () => {
  const rates = new Rates();
  for (let duration = 1; duration <= 100; duration++) rates.end(NOW - 60 * SECOND, duration);
  expect(rates.summary(NOW)).toMatchObject({ p50: 50, p95: 95, highestDuration: 95 });
});

it('has no durations where no request ended', () => {
  const { p50, p95, bars, highestDuration } = new Rates().summary(NOW);
  expect([p50, p95, highestDuration]).toEqual([null, null, 0]);
  expect(bars[0]).toEqual({ rate: 0, p50: null, p95: null });
});

it('forgets what is older than the chart', () => {
  const rates = new Rates();
  rates.begin(NOW - SPAN * SECOND);
  rates.end(NOW - SPAN * SECOND, 5);
  expect(rates.summary(NOW)).toMatchObject({ highestRate: 0, p50: null });
  // Also for a clock that is set back.
  expect(rates.summary(NOW - SPAN * SECOND).highestRate).toBe(0);
});

it('keeps a bounded choice of the durations of a busy second', () => {
  const rates = new Rates();
  for (let count = 0; count < 50_000; count++) rates.end(NOW, count % 2 === 0 ? 1 : 9);
  const { p50, p95 } = rates.summary(NOW);
  expect([1, 9]).toContain(p50);
  expect(p95).toBe(9);
});

it('forgets everything for another mock', () => {
  const rates = new Rates();
  rates.begin(NOW);
  rates.clear();
  expect(rates.summary(NOW).highestRate).toBe(0);
});
