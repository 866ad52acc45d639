import { expect, test } from 'vitest';
import type { RequestsOptions } from '../../../src/mock/journal/journal-filter.ts';
import { mockOf } from '../mock-of.ts';

test('requests are those that were asked for, and those that made room are counted', async () => {
  const { controller, mock } = mockOf();
  for (const path of ['/x', '/x', '/y']) {
    const reason = path === '/y' ? 'key-empty' : null;
    mock.journal.note(mock.journal.open({ method: 'GET', headers: {} }), { path, reason });
  }
  const ids = async (options: RequestsOptions) =>
    (await controller.requests(undefined, options)).map(({ id }) => id);
  expect(await ids({ path: '/x' })).toEqual([1, 2]);
  expect(await ids({ reason: 'key-empty' })).toEqual([3]);
  expect(await ids({ path: '/x', since: 1 })).toEqual([2]);
  expect(mock.journal.dropped).toBe(0);
  for (let more = 0; more < 9; more++) mock.journal.open({ method: 'GET', headers: {} });
  expect(mock.journal.dropped).toBe(2);
});

test('an account sees and forgets its own requests alone', async () => {
  const { controller, mock } = mockOf();
  for (const key of ['a', 'b', 'a']) {
    const account = mock.accounts.get(key)?.id ?? null;
    mock.journal.note(mock.journal.open({ method: 'GET', headers: {} }), { account });
  }
  const ids = async (key?: string) => (await controller.requests(key, {})).map(({ id }) => id);
  expect([await ids('a'), await ids('b'), await ids()]).toEqual([[1, 3], [2], [1, 2, 3]]);
  controller.clearRequests('a');
  expect([await ids('a'), await ids()]).toEqual([[], [2]]);
  controller.reset('b');
  expect(await ids()).toEqual([]);
});

test('they are the newest 1000, unless a limit or what was waited for is more', async () => {
  const { controller, mock } = mockOf(undefined, 1500);
  for (let count = 1; count <= 1200; count++) mock.journal.open({ method: 'GET', headers: {} });
  const asked = async (options: RequestsOptions) => {
    const entries = await controller.requests(undefined, options);
    const { total, dropped } = await controller.received(undefined, options);
    return [entries.at(0)?.id, entries.length, total, dropped];
  };
  expect(await asked({})).toEqual([201, 1000, 1200, 0]);
  expect(await asked({ limit: 1100 })).toEqual([101, 1100, 1200, 0]);
  expect(await asked({ waitFor: 1100 })).toEqual([101, 1100, 1200, 0]);
  expect(await asked({ waitFor: 1100, limit: 1 })).toEqual([1200, 1, 1200, 0]);
  expect(await asked({ since: 1000 })).toEqual([1001, 200, 200, 0]);
});
