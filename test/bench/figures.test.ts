import { expect, it } from 'vitest';
import { median, tableOf, verdicts } from '../../bench/figures.mjs';

it.each([
  [[3, 1, 2], 2],
  [[10, 9, 1, 2], 5.5],
  [[undefined, 2, Number.NaN], 2],
  [[], undefined],
])('the median of %j is %j', (numbers, middle) => {
  expect(median(numbers)).toBe(middle);
});

const samples = {
  bare: [{ ms: 10 }, { ms: 100 }, { ms: 20 }],
  exact: [{ ms: 15 }, { ms: 150 }, { ms: 30 }],
  slow: [undefined, { ms: 151 }, {}],
  gone: [],
};
const part = { base: 'bare', figures: { ms: 'start, ms' } };

it('a comparison takes both sides from the same round, so that a slow round slows both', () => {
  const rows = ['| bare | 20 | 1.00 |', '| exact | 30 | 1.50 |', '| slow | 151 | 1.51 |', ''];
  expect(tableOf(samples, part)).toBe(
    ['|  | start, ms | of bare |', '| --- | --- | --- |', ...rows].join('\n'),
  );
});

it('each target says whether it is met', () => {
  const targets = ['exact', 'slow'].map((side) => ({ side, key: 'ms', atMost: 1.5 }));
  expect(verdicts(samples, { ...part, targets })).toBe(
    '- exact: start, ms, at most 1.5 of bare: met\n' +
      '- slow: start, ms, at most 1.5 of bare: **not met**\n',
  );
});
