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

/** Control calls take a connection each, so there are as many at once as there are of these. */
const lines = Array.from({ length: 20 }, () => Promise.resolve());
let calls = 0;

/** Makes a control call when those before it in its line are over. */
async function inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
  const line = calls++ % lines.length;
  const called = lines[line]?.then(call) as Promise<Result>;
  lines[line] = called.then(
    () => {},
    () => {},
  );
  return await called;
}

/**
 * Opens an account for a client with a connection of its own, which knows what each of its requests
 * must come to, whatever the others do at the same time.
 */
async function enter(mock: MomoMock, of: number) {
  let balance: unknown = { of, turn: -1 };
  const account = await mock.createAccount({ balance });
  const agent = new Agent({ ca: account.ca, keepAlive: true, maxSockets: 1 });
  /** The statuses of what it asked with its key, which is what its journal holds. */
  const statuses: (number | undefined)[] = [];
  let sent = 0;

  const expectReply = async (
    status?: number,
    json?: unknown,
    path = '/momo/balance',
    other = {},
  ) => {
    sent++;
    const reply = await ask({ ...account, ...other }, path, { agent }).catch(() => undefined);
    if (status !== 401) statuses.push(status);
    expect([reply?.status, reply?.json]).toEqual([status, json]);
  };
  const error = (code: string) => expect.objectContaining({ code });
  /** What it does in some turns: a request, after a control call where the turn has one. */
  const ACTS: ((mine: object) => Promise<void>)[] = [
    async (mine) => {
      await inTurn(() => account.setBalance(mine));
      balance = mine;
      await expectReply(200, balance);
    },
    async (mine) => {
      await inTurn(() => account.respondWith({ status: 503, body: mine }));
      await expectReply(503, mine);
    },
    async () => {
      await inTurn(() => account.respondWith({ fault: 'close', delay: 1 }));
      await expectReply();
    },
    () => expectReply(404, error('NOT_FOUND'), '/momo/nothing'),
    () => expectReply(401, error('UNAUTHORIZED'), undefined, { apikey: `wrong_${of % 100}` }),
    async () => {
      const last = await inTurn(() => account.requests({ limit: 3 }));
      const expected = statuses.slice(-last.length || statuses.length);
      expect(last.map(({ status }) => status ?? undefined)).toEqual(expected);
      await expectReply(200, balance, '/momo/balance/?x=1');
    },
  ];
  /** Sends so many requests, the last of which leaves its connection open. */
  const load = async (turns: number) => {
    for (const first = sent; sent < first + turns - 1; ) {
      const turn = sent + 1;
      await (ACTS[(turn + of) % 20]?.({ of, turn }) ?? expectReply(200, balance));
    }
    await expectReply(200, balance);
  };
  return { load, sent: () => sent, leave: () => agent.destroy() };
}

it('under load every answer is right, each is accounted for, and nothing stays', {
  timeout: 1_200_000,
}, async () => {
  const subject = startSubject();
  const controlUrl = await subject.ask<string>('start', {
    control: true,
    journalSize: JOURNAL_SIZE,
    // Of the test's own process, which has all the clients, each may wait long for its turn.
    clientTimeout: 600_000,
  });
  const mock = await connectMomoMock(controlUrl);
  const customers: Awaited<ReturnType<typeof enter>>[] = [];
  while (customers.length < CUSTOMERS) customers.push(await enter(mock, customers.length));
  const load = (turns: number) => Promise.all(customers.map((customer) => customer.load(turns)));
  // All that is ever held is there now, and the journal is full: what grows from here on stays.
  await load(JOURNAL_SIZE / CUSTOMERS + 10);
  const before = await subject.measure();
  expect(before.descriptors).toBeGreaterThan(CUSTOMERS);
  await load(REQUESTS / CUSTOMERS);
  const after = await subject.measure();

  const sent = customers.reduce((sum, customer) => sum + customer.sent(), 0);
  expect(sent).toBe(JOURNAL_SIZE + 10 * CUSTOMERS + REQUESTS);
  const { json } = await control(mock, `GET /requests?limit=${JOURNAL_SIZE}`);
  const { requests, dropped } = json as { requests: { id: number }[]; dropped: number };
  expect(requests.length + dropped).toBe(sent);
  expect(requests.map(({ id }) => id)).toEqual(requests.map((_, at) => dropped + at + 1));
  for (const customer of customers) customer.leave();
  await mock.close();
  await subject.ask('close');
  const end = await subject.measure();
  const heaps = [before, after, end].map(({ heap }) => `${(heap / 1024 ** 2).toFixed(1)} MB`);
  show(
    `${REQUESTS} requests over ${before.descriptors} descriptors: heap ${heaps.join(', then ')} ` +
      `when closed; ${requests.length} entries + ${dropped} dropped = ${sent} sent; ` +
      `${end.resources.length} handles left`,
  );
  expect(after.heap / before.heap).toBeLessThan(1.3);
  expect(end).toMatchObject({ resources: [], warnings: [] });
});
