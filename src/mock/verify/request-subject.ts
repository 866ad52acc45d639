import type { JournalEntry } from '../journal/journal-entry.ts';
import { contained, contentDifferences, plainDifferences } from './difference.ts';
import type { Expectation } from './expectation.ts';
import type { Subject } from './subject.ts';

/** The requests that arrived. */
export const REQUESTS: Subject<JournalEntry, Expectation> = {
  noun: 'request',
  isMissing: 'did not arrive',
  isMore: 'more arrived',
  none: 'No request arrived. Check that the code under test uses the URL and the key of this mock.',
  mayCome: 'If the request may still arrive, set timeout to wait for it.',

  hasEnded: ({ ended }) => ended,

  /**
   * The preflight of a browser only counts if the method is expected, and a connection that sent no
   * request only if a reason is expected.
   */
  counts(entry, { method, reason }) {
    if (entry.source === 'preflight') return method !== undefined;
    return entry.method !== null || reason !== undefined;
  },

  /** In the order of {@link Expectation}. */
  *differences(entry, expectation) {
    const { method, path, operation, status, reason, query = {} } = expectation;
    const { fault, aborted, ended } = expectation;
    const upperCase = method?.toUpperCase();
    yield* plainDifferences<object>(entry, { method: upperCase, operation, status, reason });
    // A request in flight may still get a status.
    const isEnded = status === null ? true : ended;
    yield* plainDifferences<object>(entry, { fault, aborted, ended: isEnded });
    const isPath = entry.path === path || entry.operation?.endsWith(` ${path}`);
    if (path !== undefined && !isPath) {
      yield { field: 'path', expected: path, received: entry.path };
    }
    yield* contained(entry.query, query, 'query');
    yield* contentDifferences(entry, expectation);
  },

  lineOf({ method, path, status, reason }) {
    const result = [status ?? (reason === null ? 'without a status' : undefined), reason];
    return [method, path, ...result].filter((part) => part != null).join(' ');
  },

  nameOf({ method, path, operation }) {
    const name = operation ?? ([method, path].filter(Boolean).join(' ') || 'a request');
    return { name, fields: ['method', 'path', 'operation'] };
  },
};
