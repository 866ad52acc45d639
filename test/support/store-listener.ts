import { Feed } from '../../src/mock/journal/feed.ts';
import { Journal, type Journals } from '../../src/mock/journal/journal.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import type { StoreListener } from '../../src/mock/store/store.ts';

/** Journals for a store that is tested without a mock. */
export function journals(size = 10_000): Journals {
  const redactor = new Redactor();
  const kept = { size, redactor, feed: new Feed(redactor) };
  return { requests: new Journal(kept), callbacks: new Journal(kept) };
}

/** A listener that only keeps the journals. */
export function storeListener(own: Partial<StoreListener> = {}): StoreListener {
  return {
    journals: journals(),
    ended: () => {},
    changed: () => {},
    learned: () => {},
    reset: () => {},
    removed: () => {},
    moved: () => {},
    advance: async (_, by) => ({ ms: by === 'idle' ? 0 : by }),
    advanced: () => {},
    send: async () => undefined,
    pending: () => 0,
    replaced: () => {},
    ...own,
  };
}
