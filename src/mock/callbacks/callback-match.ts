import type { CallbackFilter } from './callback-filter.ts';
import type { CallbackRecord } from './callback-record.ts';

/** Whether a record matches a filter. `limit` does not count here. */
export function matchesCallback(record: CallbackRecord, filter: CallbackFilter): boolean {
  const { account, url, method, status, reason, attempt, since = 0, isEnded } = filter;
  return (
    record.id > since &&
    (!isEnded || record.durationMs !== null) &&
    (account === undefined || record.account === account) &&
    (method === undefined || record.callback.method === method.toUpperCase()) &&
    (status === undefined || record.status === status) &&
    (reason === undefined || record.reason === reason) &&
    (attempt === undefined || record.attempt === attempt) &&
    (url === undefined || isUrl(record.callback.url, url))
  );
}

/** Whether a URL is the expected one, which may have no query. */
export function isUrl(url: string, expected: string): boolean {
  return url === expected || url.split(/[?#]/, 1)[0] === expected;
}
