import { queryObjects } from 'node:v8';
import { expect, it } from 'vitest';
import { Clock } from '../../src/mock/clock/clock.ts';
import { Counters } from '../../src/mock/journal/counters.ts';
import { Feed } from '../../src/mock/journal/feed.ts';
import { Journal } from '../../src/mock/journal/journal.ts';
import { RequestRecord } from '../../src/mock/journal/record.ts';
import { MAX_IN_FLIGHT } from '../../src/mock/limits.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import { startMock } from '../support/mock.ts';
import { startHeldWebhook } from '../support/webhook.ts';

/** How many objects of a class something in this process still has. */
// biome-ignore lint/complexity/noBannedTypes: the type that Node's own function takes
function kept(Class: Function): number {
  return queryObjects(Class, { format: 'count' });
}

it('the clock of a removed account is not kept, even if it was frozen', async () => {
  const mock = await startMock();
  const before = kept(Clock);
  for (let count = 0; count < 10; count++) {
    const account = await mock.createAccount();
    await account.freeze();
    await account.remove();
  }
  expect(kept(Clock)).toBe(before);
});

it('webhooks that a reset drops are not kept while they wait for others', async () => {
  const mock = await startMock();
  const { url, calls, respond } = await startHeldWebhook();
  const [busy, account] = [await mock.createAccount(), await mock.createAccount()];
  const held = Promise.allSettled(
    Array.from({ length: MAX_IN_FLIGHT }, () => busy.sendWebhook({ url })),
  );
  await expect.poll(() => calls.length).toBe(MAX_IN_FLIGHT);
  // Each webhook has one.
  const before = kept(AbortController);
  const sent = Promise.allSettled(Array.from({ length: 50 }, () => account.sendWebhook({ url })));
  await expect.poll(() => kept(AbortController)).toBe(before + 50);
  await account.reset();
  expect(kept(AbortController)).toBe(before);
  await sent;
  respond();
  await held;
});

it('a reader of events that does not read keeps no request that the journal has dropped', async () => {
  const redactor = new Redactor();
  const feed = new Feed(redactor);
  const options = { kind: 'requests', size: 10, redactor, feed, counters: new Counters() } as const;
  const journal = new Journal(options);
  const batches = feed.read({}, new AbortController().signal);
  await batches.next();
  const add = () => journal.add(new RequestRecord({ method: 'GET', headers: {} }));
  const before = kept(RequestRecord);
  for (let count = 0; count < 50; count++) add();
  expect(kept(RequestRecord)).toBe(before + 10);
  const { value } = await batches.next();
  expect(value).toMatchObject({ dropped: 40, requests: { length: 10 } });
  add();
  journal.clear();
  expect(kept(RequestRecord)).toBe(before);
});
