import { Agent } from 'node:https';
import { expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { connectMomoMock, type MomoMock } from '../support/momo-mock.ts';
import { show, times } from './scale.ts';
import { startSubject } from './subject.ts';

/** Each has a connection, and all are open at once. */
const CUSTOMERS = times(1000, 25);
const REQUESTS = times(200_000, 1000);
const JOURNAL_SIZE = times(10_000, 250);

/** A client with an account and a connection, which knows what each of its requests must come to. */
async function enter(mock: MomoMock, of: number) {
  const account = await mock.createAccount({ balance: { of } });
  const agent = new Agent({ ca: account.ca, keepAlive: true, maxSockets: 1 });
  const replyTo = async (path = '/momo/balance', apiKey = account.apiKey) => {
    const response = await ask({ ...account, apiKey }, path, { agent }).catch(() => undefined);
    return [response?.status, response?.json];
  };
  const error = (status: number, code: string) => [status, expect.objectContaining({ code })];
  /** Of each ten requests, some are scripted, for an unknown path, or with a wrong key. */
  const KINDS = [
    async (mine: object) => expect(await replyTo()).toEqual([503, mine]),
    async () => expect(await replyTo()).toEqual([undefined, undefined]),
    async () => expect(await replyTo('/momo/nothing')).toEqual(error(404, 'NOT_FOUND')),
    async () => {
      expect(await replyTo(undefined, `wrong_${of}`)).toEqual(error(401, 'UNAUTHORIZED'));
    },
  ];
  /** What its next requests come to, the last of which leaves its connection open. */
  const prepare = async (turns: number) => {
    const tens = Array.from({ length: Math.floor(turns / 10) }, (_, ten) => ({ of, ten }));
    const normal = { times: 6 };
    await account.respondWith(
      tens.flatMap((mine) => [{ status: 503, body: mine }, { fault: 'close', delay: 1 }, normal]),
    );
    return async () => {
      for (const mine of tens) {
        for (const kind of KINDS) await kind(mine);
        for (let left = 6; left > 0; left--) expect(await replyTo()).toEqual([200, { of }]);
      }
      for (let left = turns % 10; left > 0; left--) expect(await replyTo()).toEqual([200, { of }]);
    };
  };
  return { prepare, leave: () => agent.destroy() };
}

it('a mock under load sends only correct responses, records each of them, and leaves nothing behind', {
  timeout: 1_200_000,
}, async () => {
  const subject = startSubject();
  // Of the test's own process, which has all the clients, each may wait long for its turn.
  const options = { control: true, journalSize: JOURNAL_SIZE, clientTimeout: 600_000 };
  const mock = await connectMomoMock(await subject.ask('start', options));
  const customers: Awaited<ReturnType<typeof enter>>[] = [];
  while (customers.length < CUSTOMERS) customers.push(await enter(mock, customers.length));
  const load = async (turns: number) => {
    const loads = [];
    for (const { prepare } of customers) loads.push(await prepare(turns));
    await Promise.all(loads.map((run) => run()));
  };
  // All that is ever held is there now, and the journal is full: what grows from here on stays.
  await load(JOURNAL_SIZE / CUSTOMERS + 10);
  const before = await subject.measure();
  expect(before.descriptors).toBeGreaterThan(CUSTOMERS);
  await load(REQUESTS / CUSTOMERS);
  const after = await subject.measure();

  const sent = JOURNAL_SIZE + 10 * CUSTOMERS + REQUESTS;
  const { json } = await control(mock, `GET /requests?limit=${JOURNAL_SIZE}`);
  const { requests, dropped } = json as { requests: { id: number }[]; dropped: number };
  expect(requests.length + dropped).toBe(sent);
  expect(requests.map(({ id }) => id)).toEqual(requests.map((_, at) => dropped + at + 1));
  for (const customer of customers) customer.leave();
  await mock.close();
  await subject.ask('close');
  const end = await subject.measure();
  const heaps = [before, after, end].map(({ heap }) => `${(heap / 1024 ** 2).toFixed(1)} MB`);
  show(`${REQUESTS} requests over ${before.descriptors} descriptors: heap ${heaps}`);
  expect(after.heap / before.heap).toBeLessThan(1.3);
  expect(end).toMatchObject({ resources: [], warnings: [] });
});
