import { expect, it } from 'vitest';
import { figureOf, median, quantile } from '../../bench/statistics.mjs';

it.each([
  [[3], 3],
  [[3, 1, 2], 2],
  [[10, 9, 1, 2], 5.5],
])('the median of %j is %d', (numbers, middle) => {
  expect(median(numbers)).toBe(middle);
});

it('a quantile lies between its two neighbours', () => {
  expect(quantile([0, 10, 20, 30, 40], 0.99)).toBeCloseTo(39.6);
});

it('a ratio is the median of those of each round, so that what slows a round falls on both', () => {
  const { entries } = figureOf({
    samples: {
      bare: [
        { key: { value: 10, cpu: 1 } },
        { key: { value: 100, cpu: 1 } },
        { key: { value: 10 } },
      ],
      own: [
        { key: { value: 20, cpu: 3 } },
        { key: { value: 200, cpu: 5 } },
        { key: { value: 25 } },
      ],
    },
    key: 'key',
    base: 'bare',
    id: 'id',
  });
  expect(entries.own).toEqual({ value: 25, ratio: 2, cpu: 4, cpuRatio: 4, rounds: 3 });
});

it('a side that missed a round is compared over those that it was in', () => {
  const samples = {
    bare: [{ key: { value: 1 } }, { key: { value: 2 } }],
    peer: [undefined, { key: { value: 6 } }],
    gone: [],
  };
  const { entries } = figureOf({ samples, key: 'key', base: 'bare', id: 'id' });
  expect(entries.peer).toMatchObject({ value: 6, ratio: 3, rounds: 1 });
  expect(entries).not.toHaveProperty('gone');
});
