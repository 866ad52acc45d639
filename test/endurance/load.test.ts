import { expect, test } from 'vitest';
import { connectMomoMock } from '../../src/index.ts';
import { Customer } from './customer.ts';
import { show, times } from './scale.ts';
import { startSubject } from './subject.ts';

/** Each has a connection, and all are open at once. */
const CUSTOMERS = times(1000, 25);
const REQUESTS = times(200_000, 1000);
const JOURNAL_SIZE = times(10_000, 250);
const MB = 1024 * 1024;

test('under load every answer is right, each is accounted for, and nothing stays', {
  timeout: 1_200_000,
}, async () => {
  const subject = startSubject();
  const { controlUrl } = await subject.ask<{ controlUrl: string }>('start', {
    control: true,
    journalSize: JOURNAL_SIZE,
    // Of the test's own process, which has all the clients, each may wait long for its turn.
    clientTimeout: 600_000,
  });
  const mock = await connectMomoMock(controlUrl);
  const customers = await inTurn(CUSTOMERS, (number) => Customer.enter(mock, number));
  // All that is ever held is there now, and the journal is full: what grows from here on stays.
  const fill = await load(customers, JOURNAL_SIZE / CUSTOMERS + 10);
  const before = await subject.measure();
  expect(before.descriptors).toBeGreaterThan(CUSTOMERS);
  await load(customers, REQUESTS / CUSTOMERS);
  const after = await subject.measure();

  const sent = customers.reduce((sum, customer) => sum + customer.sent, 0);
  expect(sent).toBe(fill + REQUESTS);
  const { requests, dropped } = await journalOf(controlUrl);
  expect(requests.length + dropped).toBe(sent);
  expect(requests.map(({ id }) => id)).toEqual(
    Array.from({ length: requests.length }, (_, index) => dropped + index + 1),
  );
  for (const customer of customers) customer.leave();
  await mock.close();
  await subject.ask('close');
  const end = await subject.measure();
  show(
    `${REQUESTS} requests over ${before.descriptors} descriptors: heap ` +
      `${(before.heap / MB).toFixed(1)} MB before, ${(after.heap / MB).toFixed(1)} MB after, ` +
      `${(end.heap / MB).toFixed(1)} MB when closed; ${requests.length} entries + ${dropped} ` +
      `dropped = ${sent} sent; ${end.resources.length} handles left`,
  );
  expect(after.heap / before.heap).toBeLessThan(1.3);
  expect(end).toMatchObject({ resources: [], warnings: [] });
});

/** Has every customer send so many requests, each its own one after the other; gives how many. */
async function load(customers: readonly Customer[], turns: number): Promise<number> {
  const first = customers[0]?.sent ?? 0;
  await Promise.all(
    customers.map(async (customer) => {
      for (let turn = 1; turn < turns; turn++) await customer.act(first + turn);
      await customer.greet();
    }),
  );
  return customers.length * turns;
}

async function inTurn<T>(count: number, make: (number: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let number = 0; number < count; number++) all.push(await make(number));
  return all;
}

async function journalOf(
  controlUrl: string,
): Promise<{ requests: { id: number }[]; dropped: number }> {
  const reply = await fetch(`${controlUrl}/requests?limit=${JOURNAL_SIZE}`);
  expect(reply.status).toBe(200);
  return JSON.parse(await reply.text());
}
