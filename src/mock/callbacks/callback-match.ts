import type { CallbackFilter } from './callback-filter.ts';
import type { CallbackRecord } from './callback-record.ts';
import { isUrl, shownUrl } from './callback-url.ts';

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
    (url === undefined || isUrl(shownUrl(record.callback.url), url))
  );
}
