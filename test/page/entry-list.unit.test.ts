import { describe, expect, it } from 'vitest';
import type { RequestEvent } from '../../src/mock/journal/feed.ts';
import { type Entry, EntryList, matcherOf } from '../../src/page/entry-list.ts';

interface Some extends Entry {
  readonly ended: boolean;
}

const entryOf = (id: number, ended = true) => ({ id, ended }) as Some;
const entries = (...ids: number[]) => ids.map((id) => entryOf(id));
const idsOf = (list: readonly Entry[]) => list.map(({ id }) => id);

function journalOf(list: readonly Some[], kept = 9) {
  const journal = new EntryList<Some>(({ ended }) => ended, kept);
  journal.add(list);
  return journal;
}

const rowsOf = ({ rows }: EntryList<Some>) => [idsOf(rows.value.rows), rows.value.fresh];

describe('the entries that the page keeps', () => {
  it('are the newest, in order, whatever the order of events', () => {
    const journal = journalOf(entries(4, 2), 3);
    journal.add(entries(3, 5));
    expect(idsOf(journal.list.value)).toEqual([3, 4, 5]);
  });

  it('that have ended are never in flight again', () => {
    const journal = journalOf([]);
    expect(idsOf(journal.add([entryOf(1, false), entryOf(2)]))).toEqual([2]);
    expect(idsOf(journal.add(entries(1, 2)))).toEqual([1]);
    expect(journal.add([entryOf(1, false)])).toEqual([]);
    expect(journal.list.value).toEqual(entries(1, 2));
  });

  it.each([
    {
      name: 'without removed ones, but with newer ones',
      listed: [2, 3],
      total: 2,
      asked: 3,
      left: [2, 3, 4],
    },
    {
      name: 'with those beyond its limit',
      listed: [3, 4],
      total: 4,
      asked: 4,
      left: [1, 2, 3, 4],
    },
    {
      name: 'with missed ones',
      listed: [1, 2, 3, 4, 5],
      total: 5,
      asked: 4,
      left: [1, 2, 3, 4, 5],
    },
  ])('are the entries of the server, $name', ({ listed, total, asked, left }) => {
    const journal = journalOf(entries(1, 2, 3, 4));
    journal.replace(entries(...listed), total, asked);
    expect(idsOf(journal.list.value)).toEqual(left);
  });
});

it('rows that are not held show new entries after showNew', () => {
  const journal = journalOf(entries(1));
  journal.showNew();
  journal.add(entries(2, 3));
  expect(rowsOf(journal)).toEqual([[3, 2, 1], 0]);
});

it('held rows stay, with their newest states, and count new entries', () => {
  const journal = journalOf([entryOf(1, false), entryOf(2)]);
  journal.isRead.value = true;
  journal.add(entries(1, 3));
  expect(rowsOf(journal)).toEqual([[2, 1], 1]);
  expect(journal.rows.value.rows).toEqual(entries(2, 1));
  // Another reason to hold them does not show the new ones.
  journal.openId.value = 2;
  journal.isRead.value = false;
  expect(rowsOf(journal)).toEqual([[2, 1], 1]);
  journal.showNew();
  expect(rowsOf(journal)).toEqual([[3, 2, 1], 0]);
  journal.add(entries(4));
  // What is gone is not open any more.
  journal.replace(entries(4), 1, 4);
  expect([journal.openId.value, ...rowsOf(journal)]).toEqual([null, [4], 0]);
});

const OPERATION = 'GET /momo/status/:reference';
const REQUEST = { account: 'account-1', method: 'GET', path: '/momo/Status/7', status: 503 };

it.each([
  ['a path in any letter case', { text: 'STATUS/7' }, { text: 'status/8' }],
  ['an operation', { text: ':reference' }, { text: ':id' }],
  ['a reason', { text: ' key-mis ' }, { text: 'tls-' }],
  ['a method and a path', { text: 'get /momo/s' }, { text: 'put /momo/s' }],
  ['a class of statuses', { status: '5XX' }, { status: '4xx' }],
  ['a status', { status: ' 503' }, { status: '50' }],
  ['several things', { account: 'account-1', status: '503' }, { account: 'account-2' }],
])('a filter selects by %s', (_what, right, wrong) => {
  const request = {
    ...REQUEST,
    operation: OPERATION,
    reason: 'key-misspelt',
  } as unknown as RequestEvent;
  const matches = (given: object) => matcherOf({ text: '', account: '', status: '', ...given });
  expect([matches(right)(request), matches(wrong)(request)]).toEqual([true, false]);
  expect(matches({ status: 'none' })({ ...request, status: null })).toBe(true);
});
