import { describe, expect, it } from 'vitest';
import type { RequestEvent } from '../../../src/mock/journal/journal-events.ts';
import { Entries } from '../../../src/page/entries.ts';
import { matcherOf, RowView } from '../../../src/page/rows.ts';
import { hasAttemptEnded } from '../../../src/page/words.ts';
import { attemptOf, entryOf, IN_FLIGHT } from './page-entries.ts';

const entries = (...ids: number[]) => ids.map((id) => entryOf(id));
const idsOf = (list: readonly { readonly id: number }[]) => list.map(({ id }) => id);

function keptOf(most: number, ...list: RequestEvent[]) {
  const kept = new Entries<RequestEvent>(({ ended }) => ended, most);
  kept.add(list);
  return kept;
}

describe('the entries that the page keeps', () => {
  it('are in order, whatever the order of events, and only the newest', () => {
    const kept = keptOf(3, ...entries(4, 2));
    kept.add(entries(3, 5));
    expect(idsOf(kept.list)).toEqual([3, 4, 5]);
    expect([kept.newest, kept.find(2)]).toEqual([5, undefined]);
    // One that ends late does not come back.
    expect(kept.add(entries(2))).toEqual({ begun: [], ended: [] });
  });

  it('have begun and ended once, and are never in flight again', () => {
    const kept = keptOf(9);
    const ids = (list: RequestEvent[]) => Object.values(kept.add(list)).map(idsOf);
    expect(ids([entryOf(1, IN_FLIGHT), entryOf(2)])).toEqual([[1, 2], [2]]);
    expect(ids([entryOf(1), entryOf(2)])).toEqual([[], [1]]);
    expect(ids([entryOf(1, IN_FLIGHT)])).toEqual([[], []]);
    expect(kept.find(1)?.status).toBe(200);
  });

  it.each([
    [
      'without those that are gone there, but with what came since it was asked',
      [2, 3],
      2,
      3,
      [2, 3, 4],
    ],
    ['with those that are only beyond its limit', [3, 4], 4, 4, [1, 2, 3, 4]],
    ['with what was missed', [1, 2, 3, 4, 5], 5, 4, [1, 2, 3, 4, 5]],
  ])('are those of the server, %s', (_what, listed, total, asked, left) => {
    const kept = keptOf(9, ...entries(1, 2, 3, 4));
    kept.replace(entries(...listed), total, asked);
    expect(idsOf(kept.list)).toEqual(left);
    expect(kept.cleared).toBe(left.includes(1) ? 0 : 1);
  });

  it('are none after they were cleared', () => {
    const kept = keptOf(9, ...entries(1));
    kept.clear();
    expect([kept.list, kept.newest, kept.cleared]).toEqual([[], 0, 1]);
  });

  it.each([
    [false, { status: null, duration: null }],
    [true, {}],
    [true, { status: null, duration: null, reason: 'timeout' as const }],
    [true, { status: null, duration: 3 }],
  ])('have ended (%s) when an attempt is %j', (hasEnded, given) => {
    expect(hasAttemptEnded(attemptOf(1, given))).toBe(hasEnded);
  });
});

describe('the rows', () => {
  function viewOf(kept: Entries<RequestEvent>, most = 9) {
    const view = new RowView(kept, most);
    const shown = () => {
      const { rows, matching, fresh } = view.rows.value;
      return [idsOf(rows), matching, fresh];
    };
    const add = (...list: RequestEvent[]) => {
      kept.add(list);
      view.update();
    };
    return { view, shown, add };
  }

  it('are the newest first, and not too many', () => {
    expect(viewOf(keptOf(9, ...entries(1, 2, 3)), 2).shown()).toEqual([[3, 2], 3, 0]);
  });

  it('stay while they are read, with their newest states, and count what is new', () => {
    const { view, shown, add } = viewOf(keptOf(9, entryOf(1, IN_FLIGHT), entryOf(2)), 3);
    expect(shown()).toEqual([[2, 1], 2, 0]);
    view.isPaused.value = true;
    add(entryOf(1), entryOf(3), entryOf(4));
    expect(shown()).toEqual([[2, 1], 4, 2]);
    expect(view.rows.value.rows.map(({ status }) => status)).toEqual([200, 200]);
    view.isPaused.value = false;
    expect(shown()).toEqual([[4, 3, 2], 4, 0]);
  });

  it('are chosen again after a new filter, and after entries were removed', () => {
    const kept = keptOf(9, ...entries(1, 2));
    const { view, shown, add } = viewOf(kept);
    view.toggle(2);
    add(entryOf(3));
    expect(shown()).toEqual([[2, 1], 3, 1]);
    view.matches.value = ({ id }) => id > 1;
    expect(shown()).toEqual([[3, 2], 2, 0]);
    kept.clear();
    add(entryOf(4));
    expect(shown()).toEqual([[4], 1, 0]);
    expect(view.openId.value).toBeNull();
  });
});

describe('a filter', () => {
  const list = [
    entryOf(1),
    entryOf(2, { account: null, status: 401, reason: 'key-misspelt' }),
    entryOf(3, { path: '/momo/Status/7', operation: 'GET /momo/status/:reference', status: 503 }),
    entryOf(4, {
      ...IN_FLIGHT,
      ...{ method: null, path: null, operation: null },
      reason: 'tls-handshake',
    }),
  ];

  it.each([
    ['nothing', {}, [1, 2, 3, 4]],
    ['a path in any letter case', { text: 'STATUS/7' }, [3]],
    ['an operation', { text: ':reference' }, [3]],
    ['a reason', { text: ' tls-hand ' }, [4]],
    ['a method and a path', { text: 'get /momo/b' }, [1, 2]],
    ['an account', { account: 'account-1' }, [1, 3, 4]],
    ['a status', { status: '401' }, [2]],
    ['a class of statuses', { status: '5XX' }, [3]],
    ['no status', { status: 'none' }, [4]],
    ['several things', { account: 'account-1', status: '2xx' }, [1]],
    ['what nothing has', { text: 'x'.repeat(9) }, []],
  ])('selects by %s', (_what, filter, ids) => {
    const matches = matcherOf({ text: '', account: '', status: '', ...filter });
    expect(idsOf(list.filter(matches))).toEqual(ids);
  });
});
