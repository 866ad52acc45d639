import { describe, expect, it } from 'vitest';
import { KeptRequests } from '../../../src/control/page/kept-requests.ts';
import { ALL, chooseRows, frozenRows } from '../../../src/control/page/shown-requests.ts';
import { entryOf, IN_FLIGHT } from './entry-of.ts';

const idsOf = ({ rows }: ReturnType<typeof chooseRows>) => rows.map(({ id }) => id);

function keptOf(...entries: ReturnType<typeof entryOf>[]): KeptRequests {
  const kept = new KeptRequests();
  kept.add(entries);
  return kept;
}

it('shows the newest first, and not too many', () => {
  const shown = chooseRows(keptOf(entryOf(1), entryOf(2), entryOf(3)), ALL, 2);
  expect(idsOf(shown)).toEqual([3, 2]);
  expect(shown.matching).toBe(3);
});

describe('rows that are frozen', () => {
  it('stay, and count what is new', () => {
    const kept = keptOf(entryOf(1), entryOf(2));
    const shown = chooseRows(kept, ALL);
    kept.add([entryOf(3), entryOf(4, { account: 'account-2' })]);
    const frozen = frozenRows(shown, kept, ALL);
    expect(idsOf(frozen)).toEqual([2, 1]);
    expect([frozen.fresh, frozen.matching]).toEqual([2, 4]);
    // What does not match the filter is not new.
    expect(frozenRows(shown, kept, { ...ALL, account: 'account-2' }).fresh).toBe(1);
  });

  it('have their newest state', () => {
    const kept = keptOf(entryOf(1, IN_FLIGHT));
    const shown = chooseRows(kept, ALL);
    kept.add([entryOf(1)]);
    expect(frozenRows(shown, kept, ALL).rows[0]?.status).toBe(200);
  });

  it('stay also when they are not kept any more', () => {
    const kept = new KeptRequests(1);
    kept.add([entryOf(1)]);
    const shown = chooseRows(kept, ALL);
    kept.add([entryOf(2)]);
    expect(idsOf(frozenRows(shown, kept, ALL))).toEqual([1]);
  });
});

describe('a filter', () => {
  const kept = keptOf(
    entryOf(1),
    entryOf(2, { account: null, status: 401, reason: 'key-misspelt' }),
    entryOf(3, { path: '/momo/Status/7', operation: 'GET /momo/status/:reference', status: 503 }),
    entryOf(4, {
      ...IN_FLIGHT,
      method: null,
      path: null,
      operation: null,
      reason: 'tls-handshake',
    }),
  );

  it.each([
    ['nothing', {}, [4, 3, 2, 1]],
    ['a path in any letter case', { text: 'STATUS/7' }, [3]],
    ['an operation', { text: ':reference' }, [3]],
    ['a reason', { text: ' tls-hand ' }, [4]],
    ['a method and a path', { text: 'get /momo/b' }, [2, 1]],
    ['an account', { account: 'account-1' }, [4, 3, 1]],
    ['a status', { status: '401' }, [2]],
    ['a class of statuses', { status: '5XX' }, [3]],
    ['no status', { status: 'none' }, [4]],
    ['several things', { account: 'account-1', status: '2xx' }, [1]],
    ['what nothing has', { text: 'x'.repeat(9) }, []],
  ])('selects by %s', (_what, filter, ids) => {
    expect(idsOf(chooseRows(kept, { ...ALL, ...filter }))).toEqual(ids);
  });
});
