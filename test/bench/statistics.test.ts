import { expect, it } from 'vitest';
import { figureOf, inRounds, median } from '../../bench/statistics.mjs';

it.each([
  [[3], 3],
  [[3, 1, 2], 2],
  [[10, 9, 1, 2], 5.5],
  [[undefined, 2, Number.NaN], 2],
  [[], undefined],
])('the median of %j is %j', (numbers, middle) => {
  expect(median(numbers)).toBe(middle);
});

it('compares the sides of the same round, so that a slow round slows both', () => {
  const samples = {
    bare: [{ start: { value: 10, cpu: 1 } }, { start: { value: 100, cpu: 1 } }, {}],
    mock: [
      { start: { value: 20, cpu: 3 } },
      { start: { value: 200, cpu: 5 } },
      { start: { value: 25, cpu: 4 } },
    ],
  };
  const { entries } = figureOf(samples, { key: 'start', base: 'bare' });
  expect(entries.mock).toEqual({ value: 25, ratio: 2, cpu: 4, cpuRatio: 4 });
});

it('leaves out a side that has no sample', () => {
  const samples = { bare: [{ start: { value: 1 } }], peer: [undefined, { start: { value: 2 } }] };
  expect(figureOf({ ...samples, gone: [] }, { key: 'start', base: 'bare' }).entries).toEqual({
    bare: { value: 1, ratio: 1 },
    peer: { value: 2 },
  });
});

const ignore = () => {};

it('begins each round with another side', async () => {
  const turns: string[] = [];
  const sides = [{ name: 'bare' }, { name: 'mock' }];
  const measure = ({ name }: { name: string }) => turns.push(name);
  await inRounds({ sides, rounds: 2, measure }, ignore);
  expect(turns).toEqual(['bare', 'mock', 'mock', 'bare']);
});

it('leaves out a peer that fails, and stops if another side fails', async () => {
  let starts = 0;
  const measure = ({ name }: { name: string }) => {
    if (name === 'broken') throw new Error(`failed ${++starts}`);
    return {};
  };
  const part = { rounds: 2, measure };
  const peers = [{ name: 'bare' }, { name: 'broken', isPeer: true }];
  const { notRun } = await inRounds({ ...part, sides: peers }, ignore);
  expect(notRun).toEqual({ broken: 'failed 1' });
  const sides = [{ name: 'broken' }];
  await expect(inRounds({ ...part, sides }, ignore)).rejects.toThrow('Failed to measure broken');
});
