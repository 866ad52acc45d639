import { queryObjects } from 'node:v8';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Account } from '../../src/mock/account/account.ts';
import { Clock } from '../../src/mock/clock/clock.ts';
import { Counters } from '../../src/mock/journal/counters.ts';
import { Feed } from '../../src/mock/journal/feed.ts';
import { Journal } from '../../src/mock/journal/journal.ts';
import { RequestRecord } from '../../src/mock/journal/record.ts';
import { MAX_IN_FLIGHT } from '../../src/mock/limits.ts';
import { HandledOperations } from '../../src/mock/operations/handled-operations.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import { ServiceRequest } from '../../src/service/request.ts';
import { send } from '../support/client.ts';
import { startMock, startServer } from '../support/mock.ts';
import { startHeldWebhook } from '../support/webhook.ts';

/**
 * How many objects of a class something in this process still has. What a test before left can go
 * at any moment, so a test that counts exactly has a class of its own.
 */
// biome-ignore lint/complexity/noBannedTypes: the type that Node's own function takes
function kept(Class: Function): number {
  return queryObjects(Class, { format: 'count' });
}

it('the clock and the handlers of a removed account are not kept, even if it was frozen', async () => {
  const mock = await startMock();
  const counted = () => kept(Clock) + kept(HandledOperations);
  const before = counted();
  for (let count = 0; count < 10; count++) {
    const account = await mock.createAccount();
    await account.freeze();
    await account.handle('GET /momo/pay', () => {});
    await account.remove();
  }
  expect(counted()).toBeLessThanOrEqual(before);
});

it('webhooks that a reset drops are not kept while they wait for others', async () => {
  // Each webhook has one.
  class Controller extends AbortController {}
  vi.stubGlobal('AbortController', Controller);
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const mock = await startMock();
  const { url, calls, respond } = await startHeldWebhook();
  const [busy, account] = [await mock.createAccount(), await mock.createAccount()];
  const held = Promise.allSettled(
    Array.from({ length: MAX_IN_FLIGHT }, () => busy.sendWebhook({ url })),
  );
  await expect.poll(() => calls.length).toBe(MAX_IN_FLIGHT);
  const before = kept(Controller);
  const sent = Promise.allSettled(Array.from({ length: 50 }, () => account.sendWebhook({ url })));
  await expect.poll(() => kept(Controller)).toBe(before + 50);
  await account.reset();
  expect(kept(Controller)).toBe(before);
  await sent;
  respond();
  await held;
});

it('a handler whose timer is pending keeps no request', async () => {
  const handler = `export default (_, { after, webhook }) => {
    after(86_400_000, () => webhook({ url: 'http://localhost' }));
  };`;
  const running = await startServer({ 'momo/pay.post.js': handler });
  const { mock } = running;
  const { key } = mock.createAccount({});
  const before = kept(ServiceRequest);
  for (let count = 0; count < 20; count++) {
    expect((await send(running, `/momo/pay?apikey=${key}`, { method: 'POST' })).status).toBe(200);
  }
  expect(mock.account(key).clock.state.pending).toBe(20);
  // The connection has its latest request.
  expect(kept(ServiceRequest)).toBeLessThanOrEqual(before + 1);
});

it('a reader of events that does not read keeps no request that the journal has dropped', async () => {
  const redactor = new Redactor();
  const feed = new Feed(redactor);
  const options = { kind: 'requests', size: 10, redactor, feed, counters: new Counters() } as const;
  const journal = new Journal(options);
  const batches = feed.read({}, new AbortController().signal);
  await batches.next();
  class Received extends RequestRecord {}
  const add = () => journal.add(new Received({ method: 'GET', headers: {} }));
  for (let count = 0; count < 50; count++) add();
  expect(kept(Received)).toBe(10);
  const { value } = await batches.next();
  expect(value).toMatchObject({ dropped: 40, requests: { length: 10 } });
  add();
  journal.clear();
  expect(kept(Received)).toBe(0);
  // A reader that waits misses nothing.
  const next = batches.next();
  add();
  journal.clear();
  expect((await next).value).toMatchObject({ dropped: 1, requests: { length: 1 } });
});

it('of accounts that were used and removed, as much is kept after 200 as after 50', async () => {
  const handler = `export default async ({ body }, { state, after, prompt, webhook }) => {
    await state.set('payment', { amount: 1 });
    after(86_400_000, () => {});
    prompt({ title: '5', text: 'Pay?', choices: ['yes'], timeout: 86_400_000 }, () => {});
    const sign = { secret: body.secret, header: 'signature' };
    webhook({ url: 'http://localhost', delay: 86_400_000, sign });
  };`;
  const running = await startServer({ 'momo/pay.post.js': handler }, { JOURNAL_SIZE: '50' });
  const { mock } = running;
  const { constructor: Timer } = setTimeout(() => {}, 0);
  const keptAfter = async (count: number) => {
    for (let at = 0; at < count; at++) {
      const { key } = mock.createAccount({});
      const account = mock.account(key);
      const body = JSON.stringify({ secret: `secret of ${key}` });
      const { status } = await send(running, `/momo/pay?apikey=${key}`, { method: 'POST', body });
      expect(status).toBe(200);
      account.clock.freeze(true);
      account.tokens.issue(60, '{}');
      if (at % 10 === 0) await account.requests.find({});
      mock.removeAccount(account);
    }
    const { characters, nodes } = mock.redactor.size;
    const objects = [Account, Clock, RequestRecord, Timer].map(kept);
    return { characters, nodes, objects, tokens: mock.byToken.size };
  };
  const few = await keptAfter(50);
  const many = await keptAfter(150);
  expect(many).toMatchObject({ characters: few.characters, tokens: 0 });
  expect(many.nodes).toBeLessThan(2 * few.characters);
  for (const [at, count] of many.objects.entries()) {
    expect(count).toBeLessThanOrEqual((few.objects[at] ?? 0) + 10);
  }
});
