import type { CallbackEntry } from '../callbacks/callback-record.ts';
import { isUrl, shownUrl } from '../callbacks/callback-url.ts';
import type { CallbackExpectation } from './callback-expectation.ts';
import { contentDifferences, plainDifferences } from './difference.ts';
import type { Subject } from './subject.ts';

/** The attempts of callbacks. */
export const CALLBACKS: Subject<CallbackEntry, CallbackExpectation> = {
  noun: 'callback',
  isMissing: 'did not happen',
  isMore: 'more followed',
  none: 'No callback was sent. Check that a handler calls callback(), and advance the clock if it is frozen.',
  mayCome: 'If the callback may still follow, set timeout to wait for it.',

  hasEnded: ({ duration }) => duration !== null,
  counts: () => true,

  *differences(entry, expectation) {
    const { url, method, status, reason, attempt } = expectation;
    if (url !== undefined && !isUrl(entry.url, url)) {
      yield { field: 'url', expected: shownUrl(url), received: entry.url };
    }
    const upperCase = method?.toUpperCase();
    yield* plainDifferences<object>(entry, { method: upperCase, status, reason, attempt });
    yield* contentDifferences(entry, expectation);
  },

  lineOf({ method, url, attempt, status, reason }) {
    return `${method} ${url} attempt ${attempt}: ${status ?? reason ?? 'without a status'}`;
  },

  nameOf({ method, url }) {
    const shown = url && shownUrl(url);
    const name = [method, shown].filter(Boolean).join(' ') || 'a callback';
    return { name, fields: ['method', 'url'] };
  },
};
