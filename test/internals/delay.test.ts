import { describe, expect, test } from 'vitest';
import { type Delay, readDelay } from '../../src/mock/delay.ts';
import { LONGEST_DELAY } from '../../src/mock/limits.ts';

function draw(delay: Delay, count = 2000): number[] {
  const next = readDelay(delay);
  return Array.from({ length: count }, next);
}

const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length / 2] ?? Number.NaN;

describe('a delay', () => {
  test('that is fixed is always the same', () => {
    expect(new Set(draw(200))).toEqual(new Set([200]));
  });

  test('from a range is spread evenly over it', () => {
    const drawn = draw({ min: 100, max: 200, seed: 1 });
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(100);
    expect(Math.min(...drawn)).toBeLessThan(105);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(200);
    expect(Math.max(...drawn)).toBeGreaterThan(195);
    expect(middle(drawn)).toBeGreaterThan(145);
    expect(middle(drawn)).toBeLessThan(155);
  });

  test('of a log-normal distribution has its median and its spread', () => {
    const drawn = draw({ median: 100, sigma: 0.5, seed: 1 });
    expect(middle(drawn)).toBeGreaterThan(95);
    expect(middle(drawn)).toBeLessThan(105);
    // One standard deviation up and down holds 68 % of them.
    const within = drawn.filter((ms) => ms > 100 * Math.exp(-0.5) && ms < 100 * Math.exp(0.5));
    expect(within.length / drawn.length).toBeGreaterThan(0.64);
    expect(within.length / drawn.length).toBeLessThan(0.72);
    expect(new Set(draw({ median: 7, sigma: 0 }))).toEqual(new Set([7]));
    expect(Math.max(...draw({ median: LONGEST_DELAY, sigma: 5 }))).toBe(LONGEST_DELAY);
  });

  test.each([
    { min: 1, max: 9 },
    { median: 5, sigma: 1 },
  ])('%j is the same again by its seed', (delay) => {
    const drawn = draw({ ...delay, seed: 42 }, 10);
    expect(draw({ ...delay, seed: 42 }, 10)).toEqual(drawn);
    expect(draw({ ...delay, seed: 43 }, 10)).not.toEqual(drawn);
    expect(draw(delay, 10)).not.toEqual(draw(delay, 10));
    expect(new Set(drawn).size).toBeGreaterThan(5);
  });

  test.each([
    [{ min: 0, max: 1000, seed: 42 }, [601.1037519, 448.2905589, 852.4657934, 669.734041]],
    [{ median: 100, sigma: 0.5, seed: 42 }, [52.601840371, 62.333174559, 73.6651661518]],
  ])('of %j is so in every version', (delay, expected) => {
    for (const [at, ms] of draw(delay, expected.length).entries()) {
      expect(ms).toBeCloseTo(expected[at] ?? Number.NaN, 5);
    }
  });

  test.each([
    0,
    LONGEST_DELAY,
    { min: 0, max: LONGEST_DELAY },
    { min: 5, max: 5, seed: 0 },
    { median: LONGEST_DELAY, sigma: 10, seed: 0xffff_ffff },
    { median: 0, sigma: 0 },
  ])('may be %j', (delay) => {
    for (const ms of draw(delay, 20)) {
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThanOrEqual(LONGEST_DELAY);
    }
  });
});
