import { describe, expect, it } from 'vitest';
import type { RequestEvent } from '../../../src/mock/journal/feed.ts';
import { Journal, matcherOf } from '../../../src/page/journal.ts';
import { entryOf, IN_FLIGHT } from './page-entries.ts';

const entries = (...ids: number[]) => ids.map((id) => entryOf(id));
const idsOf = (list: readonly { readonly id: number }[]) => list.map(({ id }) => id);

function journalOf(list: RequestEvent[] = [], limits = { kept: 9, shown: 9 }) {
  const journal = new Journal<RequestEvent>(({ ended }) => ended, limits);
  journal.add(list);
  journal.update();
  const rows = () => {
    const { rows, matching, fresh } = journal.rows.value;
    return [idsOf(rows), matching, fresh];
  };
  const add = (...more: RequestEvent[]) => {
    const added = journal.add(more);
    journal.update();
    return Object.values(added).map(idsOf);
  };
  return { journal, rows, add };
}

describe('the entries that the page keeps', () => {
  it('are in order, whatever the order of events, and only the newest', () => {
    const { journal, add } = journalOf(entries(4, 2), { kept: 3, shown: 2 });
    add(...entries(3, 5));
    expect([idsOf(journal.list), journal.newest]).toEqual([[3, 4, 5], 5]);
    // One that ends late does not come back.
    expect(add(...entries(2))).toEqual([[], []]);
  });

  it('have begun and ended once, and are never in flight again', () => {
    const { journal, add } = journalOf();
    expect(add(entryOf(1, IN_FLIGHT), entryOf(2))).toEqual([[1, 2], [2]]);
    expect(add(entryOf(1), entryOf(2))).toEqual([[], [1]]);
    expect(add(entryOf(1, IN_FLIGHT))).toEqual([[], []]);
    expect(journal.list[0]?.status).toBe(200);
  });

  it.each([
    ['without what is gone there, but with what came since', [2, 3], 2, 3, [2, 3, 4]],
    ['with those that are only beyond its limit', [3, 4], 4, 4, [1, 2, 3, 4]],
    ['with what was missed', [1, 2, 3, 4, 5], 5, 4, [1, 2, 3, 4, 5]],
  ])('are those of the server, %s', (_what, listed, total, asked, left) => {
    const { journal } = journalOf(entries(1, 2, 3, 4));
    journal.replace(entries(...listed), total, asked);
    expect(idsOf(journal.list)).toEqual(left);
  });
});

describe('the rows', () => {
  it('stay while they are held, with their newest states, and count what is new', () => {
    const first = [entryOf(1, IN_FLIGHT), entryOf(2)];
    const { journal, rows, add } = journalOf(first, { kept: 4, shown: 3 });
    expect(rows()).toEqual([[2, 1], 2, 0]);
    journal.isPaused.value = true;
    add(entryOf(1), entryOf(3), entryOf(4));
    expect(rows()).toEqual([[2, 1], 4, 2]);
    expect(journal.rows.value.rows.map(({ status }) => status)).toEqual([200, 200]);
    // Also when newer ones have taken the place of some.
    add(entryOf(5));
    expect(rows()).toEqual([[2, 1], 4, 3]);
    journal.isPaused.value = false;
    expect(rows()).toEqual([[5, 4, 3], 4, 0]);
  });

  it('are chosen again after a new filter, and after entries were removed', () => {
    const { journal, rows, add } = journalOf(entries(1, 2));
    journal.toggle(2);
    add(entryOf(3));
    expect(rows()).toEqual([[2, 1], 3, 1]);
    journal.filter(({ id }) => id > 1);
    expect(rows()).toEqual([[3, 2], 2, 0]);
    journal.replace(entries(3, 4), 2, 3);
    journal.update();
    expect(rows()).toEqual([[4, 3], 2, 0]);
    expect(journal.openId.value).toBeNull();
    journal.clear();
    expect(rows()).toEqual([[], 0, 0]);
  });
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
