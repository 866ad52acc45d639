import { describe, expect, onTestFinished, test } from 'vitest';
import { BATCH, Feed } from '../../../src/mock/journal/feed.ts';
import { type JournalRecord, newRecord } from '../../../src/mock/journal/journal-record.ts';
import { MOST_PENDING } from '../../../src/mock/limits.ts';
import { nextTurn, sleep } from '../../../src/timers.ts';

const recordOf = (id: number) => newRecord(id, { method: 'GET', headers: {}, tls: 'normal' });

/** A reader of a feed that has its first batch, and what it reads after that. */
async function readerOf(feed: Feed, since?: string, records: JournalRecord[] = []) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const batches = feed.read({ since }, [records], stop.signal);
  const { value: first } = await batches.next();
  return { first, batches, stop, next: async () => (await batches.next()).value };
}

// A reader looks up after 15 s, so a test that takes so long has not been told.
describe('a reader of a feed', { timeout: 10_000 }, () => {
  test('is told of a request and a change, in one batch if they are close', async () => {
    const feed = new Feed();
    const { first, next } = await readerOf(feed);
    expect(first).toMatchObject({ records: [], changes: [], dropped: 0 });
    const batch = next();
    const record = recordOf(1);
    feed.publish(record);
    feed.change('tls');
    feed.change('tls');
    expect(await batch).toMatchObject({ records: [record], changes: ['tls'], dropped: 0 });
  });

  test.each<[string, (feed: Feed) => void, object]>([
    ['a request', (feed) => feed.publish(recordOf(1)), { records: [{ id: 1 }], changes: [] }],
    ['a change', (feed) => feed.change('tls'), { records: [], changes: ['tls'] }],
  ])('is told of %s that came while it was busy', async (_what, happen, batch) => {
    const feed = new Feed();
    const { next } = await readerOf(feed);
    happen(feed);
    expect(await next()).toMatchObject(batch);
  });

  test('is told nothing as long as nothing happens', async () => {
    const feed = new Feed();
    const { next } = await readerOf(feed);
    const batch = next();
    // A batch that begins now would end before this.
    await nextTurn();
    await sleep(BATCH);
    feed.change('accounts');
    expect(await batch).toMatchObject({ changes: ['accounts'] });
  });

  test('gets a request that went on once, at its latest event', async () => {
    const feed = new Feed();
    const { next } = await readerOf(feed);
    const [one, two] = [recordOf(1), recordOf(2)];
    for (const record of [one, two, one]) feed.publish(record);
    expect((await next())?.records).toEqual([two, one]);
  });

  test('that is slow loses the oldest requests, and is told how many', async () => {
    const feed = new Feed();
    const { next } = await readerOf(feed);
    for (let id = 1; id <= MOST_PENDING + 2; id++) feed.publish(recordOf(id));
    const { records, dropped } = (await next()) ?? {};
    expect([records?.length, records?.[0]?.id, dropped]).toEqual([MOST_PENDING, 3, 2]);
    feed.change('requests');
    expect(await next()).toMatchObject({ records: [], dropped: 0 });
  });

  test('ends when its caller stops, also while it waits', async () => {
    const { batches, stop } = await readerOf(new Feed());
    const next = batches.next();
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('ends without a last batch when its caller stops after an event', async () => {
    const feed = new Feed();
    const { batches, stop } = await readerOf(feed);
    const next = batches.next();
    feed.change('tls');
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  test('ends when the feed is closed, also while it waits', async () => {
    const feed = new Feed();
    const { batches } = await readerOf(feed);
    const next = batches.next();
    feed.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

describe('a reader that resumes', () => {
  test('gets what it missed first, in the order of the events', async () => {
    const feed = new Feed();
    const [seen, one, two] = [recordOf(1), recordOf(2), recordOf(3)];
    feed.publish(seen);
    const { first } = await readerOf(feed);
    for (const record of [one, two, one]) feed.publish(record);
    const resumed = await readerOf(feed, first?.position, [seen, one, two]);
    expect(resumed.first?.records).toEqual([two, one]);
  });

  test('after a change gets no request from before it', async () => {
    const feed = new Feed();
    const record = recordOf(1);
    feed.publish(record);
    feed.change('balance');
    const { first } = await readerOf(feed);
    const resumed = await readerOf(feed, first?.position, [record]);
    expect(resumed.first?.records).toEqual([]);
  });

  test.each([undefined, 'another-0'])('at %s begins with what happens next', async (since) => {
    const feed = new Feed();
    const record = recordOf(1);
    feed.publish(record);
    expect((await readerOf(feed, since, [record])).first?.records).toEqual([]);
  });
});
