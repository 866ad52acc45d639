import { afterEach, expect, test, vi } from 'vitest';
import { Journal } from '../../../src/mock/journal/journal.ts';
import type { Filter } from '../../../src/mock/journal/journal-filter.ts';
import { LONGEST_TURN } from '../../../src/mock/journal/turns.ts';
import { LONGEST_BODY } from '../../../src/mock/limits.ts';
import { Redactor } from '../../../src/mock/redaction/redaction.ts';
import { entriesOf } from './entries-of.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A journal with so many records. */
function journalOf(count: number, body = Buffer.alloc(0)) {
  const journal = new Journal({ size: count, redactor: new Redactor() });
  const add = () => {
    const record = journal.open({ method: 'GET', headers: {} });
    journal.note(record, { target: '/momo/balance?apikey=momo_test_key', body, status: 200 });
    return record;
  };
  for (let more = 0; more < count; more++) add();
  return { journal, add };
}

/** A filter that matches nothing, and counts how often it is asked. */
function countingFilter() {
  let asked = 0;
  const filter: Filter = {
    get status() {
      asked++;
      return 418;
    },
  };
  return { filter, asked: () => asked };
}

/** Calls back in each turn of the event loop for as long as something lasts. */
async function inEachTurn<Result>(work: Promise<Result>, act: () => void): Promise<Result> {
  let isOver = false;
  const result = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise(setImmediate);
    act();
  }
  return await result;
}

test('a wait looks at each record of a full journal once, and then at what is new only', async () => {
  const { journal, add } = journalOf(1000);
  const { filter, asked } = countingFilter();
  const waiting = journal.wait(filter, 1, 600_000);
  await entriesOf(journal);
  expect(asked()).toBe(1000);
  for (let more = 1; more <= 50; more++) {
    const before = asked();
    add();
    // When it is opened, and when more becomes known of it.
    expect(asked() - before).toBe(2);
  }
  journal.close();
  await waiting;
  add();
  expect(asked()).toBe(1100);
});

test('each of many who wait looks at a new record once for each of its changes', async () => {
  const { journal, add } = journalOf(1000);
  const { filter, asked } = countingFilter();
  const waiting = Array.from({ length: 200 }, () => journal.wait(filter, 1, 600_000));
  await entriesOf(journal);
  await expect.poll(asked).toBe(200 * 1000);
  add();
  expect(asked()).toBe(200 * 1002);
  journal.close();
  await Promise.all(waiting);
});

test('who does not wait any more looks at nothing', async () => {
  const { journal, add } = journalOf(10);
  const { filter, asked } = countingFilter();
  const gone = new AbortController();
  const waiting = journal.wait(filter, 1, 600_000, gone.signal);
  await entriesOf(journal);
  gone.abort();
  await waiting;
  await journal.wait(filter, 1, 600_000, gone.signal);
  await journal.read(filter, gone.signal);
  add();
  expect(asked()).toBe(10);
});

test('the beginning of a wait leaves requests their turn', async () => {
  const { journal } = journalOf(10_000);
  const { filter, asked } = countingFilter();
  const perTurn: number[] = [];
  let before = 0;
  const count = () => {
    perTurn.push(asked() - before);
    before = asked();
  };
  const waiting = journal.wait(filter, 1, 600_000);
  count();
  await inEachTurn(journal.read(filter), count);
  journal.close();
  await waiting;
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(LONGEST_TURN / 16);
  expect(asked()).toBe(20_000);
});

test('of large bodies one is shown in a turn, however many read at the same time', async () => {
  const { journal } = journalOf(20, Buffer.alloc(LONGEST_BODY, 'x'));
  const show = vi.spyOn(Redactor.prototype, 'redactRequest');
  const perTurn: number[] = [];
  const readers = Promise.all([1, 2, 3].map(() => entriesOf(journal)));
  const read = await inEachTurn(readers, () => {
    perTurn.push(show.mock.calls.length);
    show.mockClear();
  });
  expect(read.map(({ length }) => length)).toEqual([20, 20, 20]);
  expect(Math.max(...perTurn)).toBe(1);
});

test('who does not read any more is shown nothing', async () => {
  const { journal } = journalOf(20);
  const gone = new AbortController();
  const { total, entries } = await journal.read({}, gone.signal);
  const shown: number[] = [];
  for await (const { id } of entries) {
    shown.push(id);
    if (id === 3) gone.abort();
  }
  expect([total, shown]).toEqual([20, [1, 2, 3]]);
});
