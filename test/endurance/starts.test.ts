import { expect, it } from 'vitest';
import { show, times } from './scale.ts';
import { startSubject } from './subject.ts';

const STARTS = times(1000, 60);
/** Until every module is loaded and every function compiled, memory grows for that alone. */
const WARM_UP = times(100, 40);
const KB = 1024;

it('20 simultaneous starts leave nothing behind and share no port', {
  timeout: 600_000,
}, async () => {
  const subject = startSubject();
  await subject.ask('cycle', WARM_UP);
  const before = await subject.measure();
  await subject.ask('cycle', STARTS);
  const after = await subject.measure();
  const [one, two] = [before, after].map(({ heap, descriptors, resources }) => {
    return `heap ${Math.round(heap / KB)} KB, ${descriptors} descriptors, ${resources.length} handles`;
  });
  show(`${STARTS} starts: ${one}, then ${two}, ${after.warnings.length} warnings`);
  const { descriptors } = before;
  expect(after).toMatchObject({ warnings: [], resources: [], descriptors });
  // A mock that stayed would hold some 100 KB: each of them would show.
  expect((after.heap - before.heap) / KB).toBeLessThan(Math.max(2000, STARTS * 4));
});
