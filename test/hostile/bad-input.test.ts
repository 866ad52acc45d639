import { expect, it } from 'vitest';
import { isLong, SEED, show } from '../endurance/scale.ts';
import { attackWith } from './campaign.ts';

const COUNT = isLong ? 100_000 : 400;
const AT_ONCE = 200;

it('neither breaks the mock nor gets anything out of it', { timeout: 7_200_000 }, async () => {
  const progress = (count: number, seed: number): void => {
    if (!isLong || count % 2000 > 0) return;
    process.stderr.write(`hostile: ${count} of ${COUNT} inputs, next seed ${seed}\n`);
  };
  const tried = await attackWith({ count: COUNT, atOnce: AT_ONCE, seed: SEED, progress });
  const total = Object.values(tried).reduce((sum, count) => sum + count, 0);
  show(`hostile: ${total} inputs, seed ${SEED}: ${JSON.stringify(tried)}`);
  expect(total).toBeGreaterThanOrEqual(COUNT);
  expect(Object.keys(tried)).toHaveLength(4);
});
