import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { Counters } from '../../src/mock/journal/counters.ts';
import type { RequestEntry } from '../../src/mock/journal/entry.ts';
import { Feed } from '../../src/mock/journal/feed.ts';
import type { Filter } from '../../src/mock/journal/filter.ts';
import { Journal } from '../../src/mock/journal/journal.ts';
import { RequestRecord } from '../../src/mock/journal/record.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import type { AnyExpected } from '../../src/mock/verify/expectation.ts';
import { verifyEntries } from '../../src/mock/verify/verify.ts';

function openJournal(redactor: Redactor): Journal<RequestEntry> {
  return new Journal({
    kind: 'requests',
    size: 1000,
    redactor,
    feed: new Feed(redactor),
    counters: new Counters(),
  });
}

it('a waiting client compares a request once for each change, and not after it is gone', async () => {
  const redactor = new Redactor();
  const journal = openJournal(redactor);
  let id = 0;
  const add = () => {
    const record = Object.assign(new RequestRecord({ method: 'GET', headers: {} }), { id: ++id });
    journal.add(record);
    record.status = 200;
    journal.note(record);
  };
  for (let count = 0; count < 1000; count++) add();
  let looks = 0;
  /** Matches nothing. */
  const filter: Filter = {
    get status() {
      looks++;
      return 418;
    },
  };
  const gone = new AbortController();
  const wait = (signal?: AbortSignal) => journal.wait(filter, 1, 600_000, signal);
  const waits = [...Array.from({ length: 100 }, () => wait()), wait(gone.signal)];
  await expect.poll(() => looks).toBe(101 * 1000);
  gone.abort();
  await nextTurn();
  add();
  // When it is opened, and when its status is known.
  expect(looks - 101 * 1000).toBe(100 * 2);
  journal.close();
  await Promise.all(waits);
  add();
  expect(looks).toBe(101 * 1000 + 100 * 2);
});

it.each<[string, AnyExpected]>([
  ['a number of requests', { status: 200, times: { min: 300 } }],
  ['requests in order', [{ status: 200, times: 300 }]],
  ['exactly these requests', { exactly: [{}, { status: 200, times: 300 }] }],
])(
  'a verification compares a request once for each change while another one is in flight: %s',
  async (_what, expected) => {
    const redactor = new Redactor();
    const journal = openJournal(redactor);
    let id = 0;
    const begin = () => {
      const record = Object.assign(new RequestRecord({ method: 'GET', headers: {} }), { id: ++id });
      journal.add(record);
      return record;
    };
    begin();
    const entry = vi.spyOn(RequestRecord.prototype, 'entry');
    const verified = verifyEntries({ journal, account: undefined, expected }, { timeout: 600_000 });
    for (let count = 0; count < 300; count++) {
      await nextTurn();
      const record = begin();
      await nextTurn();
      journal.note(Object.assign(record, { status: 200, durationMs: 1, ended: true }));
    }
    await verified;
    expect(entry.mock.calls.length).toBeLessThanOrEqual(1 + 2 * 300);
  },
);

it('a request in flight no longer counts once the journal is cleared', async () => {
  const redactor = new Redactor();
  const journal = openJournal(redactor);
  const add = (id: number) =>
    journal.add(Object.assign(new RequestRecord({ method: 'GET', headers: {} }), { id }));
  add(1);
  let isVerified = false;
  const verified = verifyEntries(
    { journal, account: undefined, expected: { times: 2 } },
    { timeout: 600_000 },
  ).then(() => {
    isVerified = true;
  });
  await nextTurn();
  journal.clear();
  add(2);
  await nextTurn();
  expect(isVerified).toBe(false);
  add(3);
  await verified;
});
