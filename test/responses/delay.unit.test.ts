import { expect, it } from 'vitest';
import { MAX_DELAY_MS } from '../../src/mock/limits.ts';
import { type ResponseDelay, readDelay } from '../../src/mock/responses/delay.ts';

const draw = (delay: ResponseDelay, count = 2000) =>
  Array.from({ length: count }, readDelay(delay));
const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length / 2] ?? Number.NaN;

it.each<{ delay: ResponseDelay; median: [number, number]; all: [number, number] }>([
  { delay: 200, median: [200, 200], all: [200, 200] },
  { delay: { min: 100, max: 200, seed: 1 }, median: [145, 155], all: [100, 200] },
  { delay: { min: 5, max: 5 }, median: [5, 5], all: [5, 5] },
  { delay: { median: 100, sigma: 0.5, seed: 1 }, median: [95, 105], all: [0, MAX_DELAY_MS] },
  { delay: { median: 7, sigma: 0 }, median: [7, 7], all: [7, 7] },
  { delay: { median: 0, sigma: 0 }, median: [0, 0], all: [0, 0] },
  { delay: { median: MAX_DELAY_MS, sigma: 10 }, median: [1, MAX_DELAY_MS], all: [0, MAX_DELAY_MS] },
])('delays of $delay have their median and their bounds', ({ delay, median, all }) => {
  const drawn = draw(delay);
  expect(middle(drawn)).toBeGreaterThanOrEqual(median[0]);
  expect(middle(drawn)).toBeLessThanOrEqual(median[1]);
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(all[0]);
  expect(Math.max(...drawn)).toBeLessThanOrEqual(all[1]);
});

it('random delays cover their range, and a log-normal distribution has its spread', () => {
  const even = draw({ min: 100, max: 200, seed: 1 });
  expect([Math.min(...even) < 105, Math.max(...even) > 195]).toEqual([true, true]);
  // One standard deviation up and down holds 68 % of them.
  const isWithin = (ms: number) => ms > 100 * Math.exp(-0.5) && ms < 100 * Math.exp(0.5);
  const within = draw({ median: 100, sigma: 0.5, seed: 1 }).filter(isWithin);
  expect(within.length / 2000).toBeCloseTo(0.68, 1);
});

it.each<[delay: { seed: number } & Exclude<ResponseDelay, number>, first: number[]]>([
  [{ min: 0, max: 1000, seed: 42 }, [601.1037519, 448.2905589, 852.4657934, 669.734041]],
  [{ median: 100, sigma: 0.5, seed: 42 }, [52.601840371, 62.333174559, 73.6651661518]],
])('delays of %j are the same in every version, and differ with another seed', (delay, first) => {
  for (const [at, ms] of draw(delay, first.length).entries()) {
    expect(ms).toBeCloseTo(first[at] ?? Number.NaN, 5);
  }
  const { seed: _seed, ...unseeded } = delay;
  expect(draw({ ...delay, seed: 43 }, 3)).not.toEqual(draw(delay, 3));
  expect(draw(unseeded, 3)).not.toEqual(draw(unseeded, 3));
});
