import { expect, it } from 'vitest';
import { Rates, SPAN, STEP } from '../../../src/page/rates.ts';

const NOW = 1_800_000_000_000;
const SECOND = 1000;

it('requests a second are counted in bars, the newest last', () => {
  const rates = new Rates();
  rates.begin(NOW, 6);
  rates.begin(NOW - STEP * SECOND);
  const { bars, highestRate } = rates.summary(NOW);
  expect(bars).toHaveLength(SPAN / STEP);
  expect(bars.slice(-3).map(({ rate }) => rate)).toEqual([0, 1 / STEP, 6 / STEP]);
  expect(highestRate).toBe(6 / STEP);
});

it('the rate is that of the last five seconds, without the one that is not over', () => {
  const rates = new Rates();
  for (const [age, count] of [
    [0, 99],
    [1, 10],
    [6, 1],
  ] as const) {
    rates.begin(NOW - age * SECOND, count);
  }
  expect(rates.summary(NOW).rate).toBe(2);
});

it('durations have percentiles; without any, they are null', () => {
  const rates = new Rates();
  expect(rates.summary(NOW)).toMatchObject({ p50: null, p95: null, highestDuration: 0 });
  for (let duration = 1; duration <= 100; duration++) rates.end(NOW - 60 * SECOND, duration);
  expect(rates.summary(NOW)).toMatchObject({ p50: 50, p95: 95, highestDuration: 95 });
});

it('what is older than the chart is forgotten, also for a clock that is set back', () => {
  const rates = new Rates();
  rates.begin(NOW - SPAN * SECOND);
  rates.end(NOW - SPAN * SECOND, 5);
  expect(rates.summary(NOW)).toMatchObject({ highestRate: 0, p50: null });
  expect(rates.summary(NOW - SPAN * SECOND).highestRate).toBe(0);
});
