import { expect, test } from 'vitest';
import { showHeaps, times } from './scale.ts';
import { startSubject } from './subject.ts';

const ACCOUNTS = times(10_000, 500);
const REQUESTS = times(100_000, 2000);

test('a reset gives back the memory of accounts, of what was set and of the journal', {
  timeout: 1_200_000,
}, async () => {
  const subject = startSubject();
  await subject.ask('start', {});
  const use = async (accounts: number, requests: number) => {
    await subject.ask('use', { accounts, requests });
    return await subject.measureReset();
  };
  // What is made once and stays, such as compiled code, is there afterwards.
  const { end: start } = await use(ACCOUNTS / 10, REQUESTS / 10);
  const { full, end } = await use(ACCOUNTS, REQUESTS);
  const what = `${ACCOUNTS} accounts and ${REQUESTS} requests`;
  showHeaps(what, start.heap, full.heap, end.heap);
  expect(full.heap).toBeGreaterThan(start.heap * 1.1);
  expect(end.heap).toBeLessThan(start.heap * 1.2);
});
