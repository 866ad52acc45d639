import { expect, it, vi } from 'vitest';
import { Feed } from '../../src/mock/journal/feed.ts';
import { RequestRecord } from '../../src/mock/journal/record.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';

const LIMITS: [given: number | undefined, limit: number][] = [
  [undefined, 1000],
  [2, 2],
];

it.each(LIMITS)(
  'with a limit of %s, a batch has the %i newest requests, each once, and counts the others',
  async (given, limit) => {
    const feed = new Feed(new Redactor());
    const batches = feed.read({ limit: given }, new AbortController().signal);
    await batches.next();
    const records = Array.from({ length: 1050 }, (_, at) =>
      Object.assign(new RequestRecord({ method: 'GET', headers: {} }), { id: at + 1 }),
    );
    for (const record of records) feed.publish(record);
    for (const record of records.slice(-2)) feed.publish(record);
    const { value } = await batches.next();
    expect(value?.dropped).toBe(1050 - limit);
    expect(value?.requests.map(({ id }) => id)).toEqual(
      Array.from({ length: limit }, (_, at) => 1051 - limit + at),
    );
  },
);

it('ends its readers where they missed events, and those that come after its close', async () => {
  const feed = new Feed(new Redactor());
  const read = async () => {
    const batches = feed.read({}, new AbortController().signal);
    await batches.next();
    return batches;
  };
  const batches = await read();
  const next = batches.next();
  feed.end();
  expect((await next).done).toBe(true);
  const later = await read();
  feed.change('balance');
  expect((await later.next()).value).toMatchObject({ changes: ['balance'] });
  feed.close();
  expect([await later.next(), await (await read()).next()]).toMatchObject([
    { done: true },
    { done: true },
  ]);
});

it('redacts long requests in several turns of the event loop', async () => {
  const feed = new Feed(new Redactor());
  const batches = feed.read({}, new AbortController().signal);
  await batches.next();
  for (let id = 1; id <= 20; id++) {
    const record = new RequestRecord({ method: 'GET', headers: {} });
    feed.publish(Object.assign(record, { id, bytes: 65_536 }));
  }
  let isRead = false;
  const read = batches.next().finally(() => (isRead = true));
  const entry = vi.spyOn(RequestRecord.prototype, 'entry');
  const inTurn: number[] = [];
  while (!isRead) {
    await new Promise(setImmediate);
    inTurn.push(entry.mock.calls.length);
    entry.mockClear();
  }
  expect((await read).value?.requests).toHaveLength(20);
  expect(Math.max(...inTurn)).toBe(1);
});
