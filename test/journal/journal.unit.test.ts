import { expect, it } from 'vitest';
import { Counters } from '../../src/mock/journal/counters.ts';
import { Feed } from '../../src/mock/journal/feed.ts';
import { Journal } from '../../src/mock/journal/journal.ts';
import { RequestRecord } from '../../src/mock/journal/record.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';

it('a journal drops its oldest records, also after some were removed', async () => {
  const redactor = new Redactor();
  const counters = new Counters();
  const journal = new Journal({
    kind: 'requests',
    size: 2,
    redactor,
    feed: new Feed(redactor),
    counters,
  });
  const add = (account: string) =>
    journal.add(Object.assign(new RequestRecord({ method: 'GET', headers: {} }), { account }));
  const ids = async () => (await journal.read({})).entries.map(({ id }) => id);
  for (const account of ['a', 'b', 'a', 'b', 'a']) add(account);
  expect(await ids()).toEqual([4, 5]);
  journal.clear('b');
  add('b');
  add('b');
  expect(await ids()).toEqual([6, 7]);
});
