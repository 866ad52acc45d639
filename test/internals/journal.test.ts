import { expect, it } from 'vitest';
import { Counters } from '../../src/mock/journal/counters.ts';
import { Feed } from '../../src/mock/journal/feed.ts';
import { Journal } from '../../src/mock/journal/journal.ts';
import { RequestRecord } from '../../src/mock/journal/record.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';

it('a journal drops its oldest records, also after some were removed', () => {
  const redactor = new Redactor();
  const counters = new Counters();
  const journal = new Journal({ size: 2, redactor, feed: new Feed(redactor), counters });
  const add = (account: string) =>
    journal.add(Object.assign(new RequestRecord({ method: 'GET', headers: {} }), { account }));
  for (const account of ['a', 'b', 'a', 'b', 'a']) add(account);
  expect(Array.from(journal.all, ({ id }) => id)).toEqual([4, 5]);
  journal.clear('b');
  add('b');
  add('b');
  expect(Array.from(journal.all, ({ id }) => id)).toEqual([6, 7]);
});
