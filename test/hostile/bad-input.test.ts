import { expect, it } from 'vitest';
import { isLong } from '../endurance/scale.ts';
import { attackWith } from './campaign.ts';

/** The long form takes another seed each time, unless it is told one. */
const SEED = Number(process.env.TORTURE_SEED ?? (isLong ? Date.now() % 2 ** 31 : 20_261_121));
const COUNT = isLong ? 100_000 : 400;

it('neither breaks the double nor gets anything out of it', { timeout: 7_200_000 }, async () => {
  const { inputs } = await attackWith(COUNT, SEED, isLong ? 500 : 200);
  const total = Object.values(inputs).reduce((sum, count) => sum + count, 0);
  const shown = JSON.stringify(inputs);
  if (isLong) process.stdout.write(`hostile: ${total} inputs, seed ${SEED}: ${shown}\n`);
  expect(total).toBeGreaterThanOrEqual(COUNT);
  expect(Object.keys(inputs)).toHaveLength(4);
});
