import { expect, it } from 'vitest';
import { show, times } from './scale.ts';
import { startSubject } from './subject.ts';

const ACCOUNTS = times(10_000, 500);
const REQUESTS = times(100_000, 2000);

it('a reset frees the memory of accounts and requests', { timeout: 1_200_000 }, async () => {
  const subject = startSubject();
  const use = (part: number) =>
    subject.ask('use', { accounts: ACCOUNTS * part, requests: REQUESTS * part });
  const heapAfterReset = async () => {
    await subject.ask('reset');
    return (await subject.measure()).heap;
  };
  await subject.ask('start', {});
  // What is made once and stays, such as compiled code, is there afterwards.
  await use(0.1);
  const before = await heapAfterReset();
  await use(1);
  const { heap: full } = await subject.measure();
  const end = await heapAfterReset();
  const heaps = [before, full, end].map((heap) => `${(heap / 1024 ** 2).toFixed(1)} MB`);
  show(`${ACCOUNTS} accounts and ${REQUESTS} requests, before, with them, reset: heap ${heaps}`);
  expect(full).toBeGreaterThan(before * 1.1);
  expect(end).toBeLessThan(before * 1.2);
});
