import { describe, expect, it } from 'vitest';
import type { RequestEvent } from '../../../src/mock/journal/feed.ts';
import { Journal, matcherOf } from '../../../src/page/journal.ts';

/** A request that was answered with the balance, apart from what is given. */
function entryOf(id: number, given: Partial<RequestEvent> = {}): RequestEvent {
  const request = {
    ...{ id, account: 'account-1', method: 'GET', path: '/momo/balance', reason: null },
    ...{ operation: 'GET /momo/balance', status: 200, ended: true, ...given },
  };
  return request as RequestEvent;
}

const IN_FLIGHT = { status: null, ended: false } as const;
const entries = (...ids: number[]) => ids.map((id) => entryOf(id));
const idsOf = (list: readonly RequestEvent[]) => list.map(({ id }) => id);

function journalOf(list: RequestEvent[], kept = 9) {
  const journal = new Journal<RequestEvent>(({ ended }) => ended, kept);
  journal.add(list);
  return journal;
}

const rowsOf = ({ rows }: Journal<RequestEvent>) => [idsOf(rows.value.rows), rows.value.fresh];

describe('the entries that the page keeps', () => {
  it('are in order, whatever the order of events, and only the newest', () => {
    const journal = journalOf(entries(4, 2), 3);
    journal.add(entries(3, 5));
    expect(idsOf(journal.list.value)).toEqual([3, 4, 5]);
  });

  it('have ended once, and are never in flight again', () => {
    const journal = journalOf([]);
    expect(idsOf(journal.add([entryOf(1, IN_FLIGHT), entryOf(2)]))).toEqual([2]);
    expect(idsOf(journal.add(entries(1, 2)))).toEqual([1]);
    expect(journal.add([entryOf(1, IN_FLIGHT)])).toEqual([]);
    expect(journal.list.value[0]?.status).toBe(200);
  });

  it.each([
    ['without what is gone there, but with what came since', [2, 3], 2, 3, [2, 3, 4]],
    ['with those that are only beyond its limit', [3, 4], 4, 4, [1, 2, 3, 4]],
    ['with what was missed', [1, 2, 3, 4, 5], 5, 4, [1, 2, 3, 4, 5]],
  ])('are those of the server, %s', (_what, listed, total, asked, left) => {
    const journal = journalOf(entries(1, 2, 3, 4));
    journal.replace(entries(...listed), total, asked);
    expect(idsOf(journal.list.value)).toEqual(left);
  });
});

it('the rows stay while they are held, with their newest states, and count what is new', () => {
  const journal = journalOf([entryOf(1, IN_FLIGHT), entryOf(2)]);
  journal.isRead.value = true;
  journal.add(entries(1, 3));
  expect(rowsOf(journal)).toEqual([[2, 1], 1]);
  expect(journal.rows.value.rows[1]?.status).toBe(200);
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

describe('a filter', () => {
  const nothing = { method: null, path: null, operation: null };
  const list = [
    entryOf(1),
    entryOf(2, { account: null, status: 401, reason: 'key-misspelt' }),
    entryOf(3, { path: '/momo/Status/7', operation: 'GET /momo/status/:reference', status: 503 }),
    entryOf(4, { ...IN_FLIGHT, ...nothing, reason: 'tls-handshake' }),
  ];

  it.each([
    ['a path in any letter case', { text: 'STATUS/7' }, [3]],
    ['an operation', { text: ':reference' }, [3]],
    ['a reason', { text: ' tls-hand ' }, [4]],
    ['a method and a path', { text: 'get /momo/b' }, [1, 2]],
    ['a class of statuses', { status: '5XX' }, [3]],
    ['no status', { status: 'none' }, [4]],
    ['several things', { account: 'account-1', status: '200' }, [1]],
  ])('selects by %s', (_what, filter, ids) => {
    const matches = matcherOf({ text: '', account: '', status: '', ...filter });
    expect(idsOf(list.filter(matches))).toEqual(ids);
  });
});
