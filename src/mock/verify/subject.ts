import type { CallbackEntry, JournalEntry } from '../journal/entry.ts';
import type { RecordKind } from '../journal/record.ts';
import type { CallbackReason, Reason } from '../requests/reason.ts';
import type { AnyExpectation } from './expectation.ts';

export interface VerifiedEntry
  extends Pick<JournalEntry, Exclude<keyof JournalEntry & keyof CallbackEntry, 'reason'>>,
    Partial<Omit<JournalEntry, keyof CallbackEntry> & Omit<CallbackEntry, keyof JournalEntry>> {
  readonly reason: Reason | CallbackReason | null;
}

/** How messages name what is verified. */
export type Words = (typeof WORDS)[RecordKind];

export const WORDS = {
  requests: {
    noun: 'request',
    isMissing: 'did not arrive',
    isMore: 'more arrived',
    none: 'No request arrived. Check that the code under test uses the URL and the key of this mock.',
    mayCome: 'If the request may still arrive, set timeout to wait for it.',
  },
  callbacks: {
    noun: 'callback',
    isMissing: 'did not happen',
    isMore: 'more followed',
    none: 'No callback was sent. Check that a handler calls callback(), and advance the clock if it is frozen.',
    mayCome: 'If the callback may still follow, set timeout to wait for it.',
  },
};

/** Such as `1 request` or `3 older requests`. */
export function countOf({ noun }: Words, count: number, adjective = ''): string {
  return `${count} ${adjective}${noun}${count === 1 ? '' : 's'}`;
}

/** Whether an entry can no longer change. */
export function hasEnded({ ended, duration }: VerifiedEntry): boolean {
  return ended ?? duration !== null;
}

/**
 * Whether an entry counts at all. A browser preflight counts only if the method is expected, and a
 * connection without a request only if a reason is expected.
 */
export function counts(entry: VerifiedEntry, { method, reason }: AnyExpectation): boolean {
  if (entry.source === 'preflight') return method !== undefined;
  return entry.method !== null || reason !== undefined;
}

/** An entry in one line, such as `request 3, GET /momo/balance 401 unknown-path`. */
export function lineOf({ noun }: Words, entry: VerifiedEntry): string {
  const { id, method, path, url, attempt, status, reason } = entry;
  if (attempt !== undefined) {
    return `${noun} ${id}, ${method} ${url} attempt ${attempt}: ${status ?? reason ?? 'without a status'}`;
  }
  const result = [status ?? (reason === null ? 'without a status' : undefined), reason];
  const parts = [method, path, ...result].filter((part) => part != null);
  return `${noun} ${id}, ${parts.join(' ')}`;
}
