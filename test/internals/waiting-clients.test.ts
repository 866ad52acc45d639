import { expect, it } from 'vitest';
import { Counters } from '../../src/mock/journal/counters.ts';
import { Feed } from '../../src/mock/journal/feed.ts';
import type { Filter } from '../../src/mock/journal/filter.ts';
import { Journal } from '../../src/mock/journal/journal.ts';
import { RequestRecord } from '../../src/mock/journal/record.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';

it('looks at a request once for each client that waits and each change, and not for one that is gone', async () => {
  const redactor = new Redactor();
  const journal = new Journal({
    size: 1000,
    redactor,
    feed: new Feed(redactor),
    counters: new Counters(),
  });
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
  add();
  // When it is opened, and when its status is known.
  expect(looks - 101 * 1000).toBe(100 * 2);
  journal.close();
  await Promise.all(waits);
  add();
  expect(looks).toBe(101 * 1000 + 100 * 2);
});
