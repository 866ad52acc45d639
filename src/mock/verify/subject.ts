import type { RequestEntry, WebhookEntry } from '../journal/entry.ts';
import type { ComparedFields, RecordKind } from '../journal/record.ts';
import type { RequestReason, WebhookReason } from '../requests/reason.ts';
import type { AnyExpectation } from './expectation.ts';

export interface VerifiedEntry
  extends Pick<RequestEntry, Exclude<keyof RequestEntry & keyof WebhookEntry, 'reason'>>,
    Partial<Omit<RequestEntry, keyof WebhookEntry> & Omit<WebhookEntry, keyof RequestEntry>> {
  readonly reason: RequestReason | WebhookReason | null;
}

/** What is compared. Attempts have no source. */
export type Compared = ComparedFields & Partial<Pick<RequestEntry, 'source'>>;

/** How messages name what is verified. */
export type Words = (typeof WORDS)[RecordKind];

export const WORDS = {
  requests: {
    noun: 'request',
    isMissing: 'did not arrive',
    isMore: 'more arrived',
    none: 'No request arrived. Check that the code under test uses the URL and the key of this mock.',
    mayCome: 'If the request may still arrive, set timeout to wait for it.',
    mayBeLate: 'If the request may still arrive, set a longer timeout.',
  },
  webhooks: {
    noun: 'webhook',
    isMissing: 'did not happen',
    isMore: 'more followed',
    none: 'No webhook was sent. Check that a handler calls webhook(), and advance the clock if it is frozen.',
    mayCome: 'If the webhook may still follow, set timeout to wait for it.',
    mayBeLate: 'If the webhook may still follow, set a longer timeout.',
  },
};

/** Examples are `1 request` and `3 older requests`. */
export function countOf({ noun }: Words, count: number, adjective = ''): string {
  return `${count} ${adjective}${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Whether a record counts at all. A browser preflight counts only if the method is expected, and a
 * connection without a request only if a reason is expected.
 */
export function counts(record: Compared, { method, reason }: AnyExpectation): boolean {
  if (record.source === 'preflight') return method !== undefined;
  return record.method !== null || reason !== undefined;
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
