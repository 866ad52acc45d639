import { expect, test } from 'vitest';
import { show, times } from './scale.ts';
import { startSubject } from './subject.ts';

const STARTS = times(1000, 60);
/** Until every module is loaded and every function compiled, memory grows for that alone. */
const WARM_UP = times(100, 40);
const KB = 1024;

test('starts, 20 at once, leave nothing behind and have no ports in common', {
  timeout: 600_000,
}, async () => {
  const subject = startSubject();
  await subject.ask('cycle', WARM_UP);
  const before = await subject.measure();
  await subject.ask('cycle', STARTS);
  const after = await subject.measure();
  const grown = (after.heap - before.heap) / KB;
  const heap = `heap ${Math.round(before.heap / KB)} KB, then ${Math.round(after.heap / KB)} KB`;
  show(
    `${STARTS} starts: ${heap}; ${before.descriptors} descriptors, then ${after.descriptors}; ` +
      `${after.resources.length} handles, ${after.warnings.length} warnings`,
  );
  expect(after.warnings).toEqual([]);
  expect(after.resources).toEqual([]);
  expect(after.descriptors).toBe(before.descriptors);
  // A mock that stayed would hold some 100 KB: each of them would show.
  expect(grown).toBeLessThan(Math.max(2000, STARTS * 4));
});
