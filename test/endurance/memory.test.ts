import { expect, test } from 'vitest';
import { show, times } from './scale.ts';
import { startSubject } from './subject.ts';

const ACCOUNTS = times(10_000, 500);
const REQUESTS = times(100_000, 2000);
const MB = 1024 * 1024;

test('a reset gives back the memory of accounts, of what was set and of the journal', {
  timeout: 1_200_000,
}, async () => {
  const subject = startSubject();
  await subject.ask('start', {});
  const use = async (accounts: number, requests: number) => {
    await subject.ask('use', { accounts, requests });
    const full = await subject.measure();
    await subject.ask('reset');
    return { full, end: await subject.measure() };
  };
  // What is made once and stays, such as compiled code, is there afterwards.
  const { end: start } = await use(ACCOUNTS / 10, REQUESTS / 10);
  const { full, end } = await use(ACCOUNTS, REQUESTS);
  show(
    `${ACCOUNTS} accounts and ${REQUESTS} requests: heap ${(start.heap / MB).toFixed(1)} MB ` +
      `before, ${(full.heap / MB).toFixed(1)} MB with them, ${(end.heap / MB).toFixed(1)} MB after a reset`,
  );
  expect(full.heap).toBeGreaterThan(start.heap * 1.1);
  expect(end.heap).toBeLessThan(start.heap * 1.2);
});
