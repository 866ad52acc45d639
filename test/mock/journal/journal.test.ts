import { describe, expect, test } from 'vitest';
import { Journal } from '../../../src/mock/journal/journal.ts';
import type { JournalRecord } from '../../../src/mock/journal/journal-record.ts';
import { Redactor } from '../../../src/mock/redaction/redaction.ts';
import { entriesOf } from './entries-of.ts';

function journalOf(size: number, keys: string[] = [], more: { bytes?: number } = {}) {
  const redactor = new Redactor();
  for (const key of keys) redactor.remember(key);
  const journal = new Journal({ size, redactor, ...more });
  const add = (known: Partial<JournalRecord> = {}, headers: JournalRecord['headers'] = {}) => {
    const record = journal.open({ method: 'GET', headers });
    journal.note(record, known);
    return record;
  };
  const ids = async (filter = {}) => (await entriesOf(journal, filter)).map(({ id }) => id);
  return { journal, add, ids };
}

describe('a journal', () => {
  test('begins empty, and a record with nothing known', async () => {
    const { journal, ids } = journalOf(3);
    expect(await ids()).toEqual([]);
    const before = Date.now();
    journal.open({ method: null, headers: {} });
    const [entry] = await entriesOf(journal);
    expect(Date.parse(entry?.time ?? '')).toBeGreaterThanOrEqual(before);
    expect({ ...entry, time: '' }).toEqual({
      id: 1,
      time: '',
      tls: null,
      account: null,
      method: null,
      path: null,
      operation: null,
      query: {},
      headers: {},
      body: '',
      status: null,
      source: null,
      file: null,
      variant: null,
      fault: null,
      reason: null,
      hint: null,
      duration: null,
      ended: false,
      aborted: false,
    });
  });

  test('keeps the newest, in order, round and round', async () => {
    const { journal, add, ids } = journalOf(3);
    const seen: number[][] = [];
    for (let count = 1; count <= 8; count++) {
      add();
      seen.push(await ids());
    }
    expect(seen).toEqual([
      [1],
      [1, 2],
      [1, 2, 3],
      [2, 3, 4],
      [3, 4, 5],
      [4, 5, 6],
      [5, 6, 7],
      [6, 7, 8],
    ]);
    expect(journal.dropped).toBe(5);
  });

  test('of no size counts what it does not keep', async () => {
    const { journal, add, ids } = journalOf(0);
    add();
    journal.note(add(), { status: 200 });
    await journal.wait({}, 1, 1);
    expect(await ids()).toEqual([]);
    expect(journal.dropped).toBe(2);
  });

  test('keeps as many bytes as it may, the newest, and counts what it does not keep', async () => {
    const { journal, add, ids } = journalOf(10, [], { bytes: 100 });
    const body = Buffer.alloc(40);
    for (const count of [1, 2, 3]) {
      add({ body });
      expect([await ids(), journal.dropped]).toEqual([
        [1, 2, 3].slice(Math.max(0, count - 2), count),
        Math.max(0, count - 2),
      ]);
    }
    add({ body: Buffer.alloc(101) });
    expect([await ids(), journal.dropped]).toEqual([[], 4]);
  });

  test('counts the body, the target and the headers of each request, as long as it is kept', async () => {
    const { journal, add, ids } = journalOf(10, [], { bytes: 100 });
    const headers = { name: 'value', list: ['a', 'b'], none: undefined };
    const bytes = 'namevaluelistalistbnone'.length;
    const target = '/'.repeat(50 - bytes);
    const first = add({ account: 'a', target }, headers);
    add({ account: 'b', target }, headers);
    expect(await ids()).toEqual([1, 2]);
    journal.clear('a');
    journal.note(first, { body: Buffer.alloc(99) });
    const third = add({ target }, headers);
    expect(await ids()).toEqual([2, 3]);
    journal.note(third, { body: Buffer.alloc(1) });
    expect([await ids(), journal.dropped]).toEqual([[3], 1]);
    journal.clear();
    add({ body: Buffer.alloc(100) });
    expect([await ids(), journal.dropped]).toEqual([[4], 0]);
  });

  test('counts the body of a response, unless it is that of a file', async () => {
    const { journal, add, ids } = journalOf(10, [], { bytes: 100 });
    const answer = { status: 200, headers: {}, body: Buffer.alloc(60) };
    const sources = ['fixture', 'error', 'script', 'override', null] as const;
    for (const source of sources) journal.note(add({}), { source, answer });
    expect(await ids()).toEqual([4, 5]);
    expect(journal.dropped).toBe(3);
  });

  test('says how many match, also beyond the limit', async () => {
    const { journal, add } = journalOf(5);
    for (const status of [200, 401, 200, 200, 401, 200, 200]) add({ status });
    const { total, dropped } = await journal.read({ status: 200, limit: 2 });
    expect([total, dropped]).toEqual([4, 2]);
  });

  test('lets through what a filter wants', async () => {
    const { add, ids } = journalOf(10);
    add({ account: 'a', status: 200, path: '/momo/balance', operation: 'GET /momo/balance' });
    add({ account: 'b', status: 401, reason: 'key-empty', path: '/momo/balance' });
    add({ account: 'a', status: 404, path: '/x' });
    add({
      account: 'a',
      status: 200,
      path: '/momo/status/7',
      operation: 'GET /momo/status/:reference',
    });
    expect(await ids({ account: 'a' })).toEqual([1, 3, 4]);
    expect(await ids({ status: 200 })).toEqual([1, 4]);
    expect(await ids({ reason: 'key-empty' })).toEqual([2]);
    expect(await ids({ path: '/momo/balance' })).toEqual([1, 2]);
    expect(await ids({ path: '/momo/status/:reference' })).toEqual([4]);
    expect(await ids({ path: '/momo/status/7' })).toEqual([4]);
    expect(await ids({ path: 'status/:reference' })).toEqual([]);
    expect(await ids({ method: 'get' })).toEqual([1, 2, 3, 4]);
    expect(await ids({ method: 'POST' })).toEqual([]);
    expect(await ids({ operation: 'GET /momo/balance' })).toEqual([1]);
    expect(await ids({ since: 2 })).toEqual([3, 4]);
    expect(await ids({ since: 4 })).toEqual([]);
    expect(await ids({ limit: 2 })).toEqual([3, 4]);
    expect(await ids({ limit: 0 })).toEqual([]);
    expect(await ids({ limit: 9 })).toEqual([1, 2, 3, 4]);
    expect(await ids({ account: 'a', status: 200, since: 1 })).toEqual([4]);
  });

  test('forgets all, or one account', async () => {
    const { journal, add, ids } = journalOf(2);
    for (const account of ['a', 'b', 'a']) add({ account });
    journal.clear('a');
    expect(await ids()).toEqual([2]);
    expect(journal.dropped).toBe(1);
    add({ account: 'c' });
    add({ account: 'd' });
    expect(await ids()).toEqual([4, 5]);
    journal.clear();
    expect(await ids()).toEqual([]);
    expect(journal.dropped).toBe(0);
  });

  test('waits for arrivals, and for what becomes of them', async () => {
    const { journal, add } = journalOf(5);
    const answered: string[] = [];
    const two = journal.wait({}, 2, 60_000).then(() => answered.push('two'));
    const done = journal.wait({ status: 200 }, 1, 60_000).then(() => answered.push('done'));
    await journal.wait({}, 0, 60_000);
    const record = add();
    add();
    await two;
    expect(answered).toEqual(['two']);
    journal.note(record, { status: 200 });
    await done;
    await journal.wait({ status: 200 }, 1, 60_000);
    await journal.wait({}, 99, 1);
    const never = journal.wait({}, 99, 3_600_000);
    journal.close();
    await never;
  });

  test.each<[string, number, (journal: Journal, record: JournalRecord) => void]>([
    ['changes again', 1, (journal, record) => journal.note(record, { aborted: true })],
    ['comes to match no more', 2, (journal, record) => journal.note(record, { status: 500 })],
    [
      'is dropped',
      2,
      (journal) => [1, 2, 3].forEach(() => void journal.open({ method: 'GET', headers: {} })),
    ],
    ['is cleared', 2, (journal) => journal.clear()],
    [
      'changes after it was cleared',
      2,
      (journal, record) => {
        journal.clear();
        journal.note(record, { aborted: true });
      },
    ],
  ])('waits for two where the first %s: for %i more', async (_what, more, change) => {
    const { journal, add } = journalOf(3);
    let isOver = false;
    const record = add({ status: 200 });
    const waiting = journal.wait({ status: 200 }, 2, 60_000).then(() => {
      isOver = true;
    });
    change(journal, record);
    for (let count = 1; count < more; count++) add({ status: 200 });
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    add({ status: 200 });
    await waiting;
  });
});

describe('an entry', () => {
  test('shows what came, without secrets', async () => {
    const { journal, add } = journalOf(5, ['key-of-somebody']);
    add(
      {
        target:
          '/momo/key-of-somebody/Balance?apikey=x&a=1&a=key-of-somebody&key-of-somebody&__proto__=p',
        operation: 'GET /momo/:kind/balance',
        body: Buffer.from('{"to":"key-of-somebody","and":"key-of'),
        bodyCut: true,
        reason: 'unknown-path',
        durationMs: 123.4,
      },
      { accept: ['a', 'b'], cookie: 'c', 'x-key-of-somebody': 'v', empty: undefined },
    );
    const [entry] = await entriesOf(journal);
    expect(entry).toMatchObject({
      path: '/momo/[redacted]/Balance',
      headers: {
        accept: ['a', 'b'],
        cookie: '[redacted]',
        'x-[redacted]': '[redacted]',
        empty: '',
      },
      body: '{"to":"[redacted]","and":"[redacted]',
      duration: 123.4,
      hint: expect.stringMatching(/^No fixture file answers at this path\./),
    });
    expect(Object.entries(entry?.query ?? {})).toEqual([
      ['apikey', '[redacted]'],
      ['a', ['1', '[redacted]']],
      ['[redacted]', '[redacted]'],
      ['__proto__', 'p'],
    ]);
  });

  test('of a client that accepted wrong TLS says so', async () => {
    const { journal } = journalOf(5);
    for (const tls of ['normal', 'wrong-host', null])
      journal.open({ method: 'GET', headers: {}, tls });
    const hints = (await entriesOf(journal)).map(({ hint }) => hint);
    expect(hints).toEqual([null, expect.stringContaining('wrong-host on purpose'), null]);
  });
});
