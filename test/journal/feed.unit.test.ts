import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Feed } from '../../src/mock/journal/feed.ts';
import { RequestRecord } from '../../src/mock/journal/record.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import { ask } from '../support/client.ts';
import { startMock } from '../support/mock.ts';

const LIMITS: [given: number | undefined, limit: number][] = [
  [undefined, 1000],
  [2, 2],
];

it.each(LIMITS)(
  'a batch with a limit of %s has the %i newest requests, each once, and counts the others',
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

it('ends its readers when it closes, and those that come later', async () => {
  const feed = new Feed(new Redactor());
  const read = async () => {
    const batches = feed.read({}, new AbortController().signal);
    await batches.next();
    return batches;
  };
  const batches = await read();
  const next = batches.next();
  feed.close();
  expect([await next, await (await read()).next()]).toMatchObject([{ done: true }, { done: true }]);
});

it('a feed gives a slow reader what it has not read, and nothing from before it came', async () => {
  const feed = new Feed(new Redactor());
  const read = async () => {
    const batches = feed.read({}, new AbortController().signal);
    await batches.next();
    return batches;
  };
  const publish = (id: number) =>
    feed.publish(Object.assign(new RequestRecord({ method: 'GET', headers: {} }), { id }));
  const idsOf = async (batches: Awaited<ReturnType<typeof read>>) =>
    (await batches.next()).value?.requests.map(({ id }) => id);
  const [prompt, late] = [await read(), await read()];
  publish(1);
  const first = idsOf(prompt);
  const newcomer = await read();
  expect(await first).toEqual([1]);
  publish(2);
  expect(await Promise.all([prompt, late, newcomer].map(idsOf))).toEqual([[2], [1, 2], [2]]);
});

it('a reader that waits gets what the journal removes, and another one learns how much it missed', async () => {
  const feed = new Feed(new Redactor());
  const batches = feed.read({}, new AbortController().signal);
  const publish = () => {
    const record = new RequestRecord({ method: 'GET', headers: {} });
    feed.publish(record);
    feed.remove(record);
  };
  await batches.next();
  publish();
  expect((await batches.next()).value).toMatchObject({ dropped: 1, requests: [] });
  const next = batches.next();
  publish();
  expect((await next).value).toMatchObject({ dropped: 0, requests: { length: 1 } });
});

it('a feed redacts long requests in several turns of the event loop', async () => {
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

it('a feed redacts and serializes each request once for all readers', async () => {
  const mock = await startMock({}, { control: true });
  const read = async () => {
    const request = get(`${mock.controlUrl}/events`, { agent: false });
    onTestFinished(() => void request.destroy());
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let text = '';
    response.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    return () => text.match(/"ended":true/g)?.length ?? 0;
  };
  const readers = await Promise.all(Array.from({ length: 50 }, read));
  const entry = vi.spyOn(RequestRecord.prototype, 'entry');
  const stringify = vi.spyOn(JSON, 'stringify');
  for (let count = 0; count < 10; count++) await ask(mock);
  await expect.poll(() => readers.map((ended) => ended())).toEqual(Array(50).fill(10));
  // Twice for each request: when it begins, and when it ends.
  expect(entry.mock.calls.length).toBeLessThanOrEqual(20);
  const written = stringify.mock.calls.filter(([value]) => Object(value).operation !== undefined);
  expect(written.length).toBeLessThanOrEqual(20);
});
