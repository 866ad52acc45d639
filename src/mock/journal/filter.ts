import { isUrl, redactedUrl } from '../callbacks/callback-url.ts';
import type { FaultType } from '../fault.ts';
import type { CallbackReason, Reason } from '../reason.ts';
import { type CallbackEntry, type JournalEntry, type Kept, StoredRecord } from './entry.ts';
import { type AttemptRecord, pathOf, type RequestRecord } from './record.ts';

/** The fields by which requests are selected, in filters and in expectations. */
export interface RequestFields {
  /** The HTTP method, such as `GET`. */
  readonly method?: string;
  /** The requested path, or the path of the operation, such as `/momo/balance`. */
  readonly path?: string;
  /** The name of the operation, such as `GET /momo/status/:reference`. */
  readonly operation?: string;
  /** The status of the response; `null` for a request that ended without a status line. */
  readonly status?: number | null;
  /** The reason for which the request was refused. */
  readonly reason?: Reason;
  /** The fault that was injected. */
  readonly fault?: FaultType;
  /** Whether the client left before it had the whole response. */
  readonly aborted?: boolean;
  /** Whether the request has ended. */
  readonly ended?: boolean;
}

/** The fields by which attempts of callbacks are selected, in filters and in expectations. */
export interface CallbackFields {
  /** The URL, with or without its query. */
  readonly url?: string;
  /** The HTTP method, such as `POST`. */
  readonly method?: string;
  /** The status of the response. */
  readonly status?: number;
  /** The reason for which there is no status. */
  readonly reason?: CallbackReason;
  /** The number of the attempt, from 1. */
  readonly attempt?: number;
}

/** Which requests to show, and the number of them to wait for. */
export interface RequestsOptions extends RequestFields {
  /** Only those after the one with this id. */
  readonly since?: number;
  /**
   * The maximum number of them. The newest are selected.
   *
   * @default 1000, or `waitFor` if that is more
   */
  readonly limit?: number;
  /**
   * Wait until this many requests match.
   *
   * @default 0
   */
  readonly waitFor?: number;
  /**
   * The maximum time to wait, in ms. Then the list contains the requests that have arrived.
   *
   * @default 5000
   */
  readonly timeout?: number;
}

/** Which attempts to show, and the number of them to wait for. */
export interface CallbacksOptions
  extends CallbackFields,
    Pick<RequestsOptions, 'since' | 'limit' | 'timeout'> {
  /**
   * Wait until this many attempts have ended.
   *
   * @default 0
   */
  readonly waitFor?: number;
}

/** Selects the records of a journal that match all fields. */
export interface Filter
  extends Omit<RequestFields, 'reason'>,
    Omit<CallbackFields, 'reason' | 'status'>,
    Pick<RequestsOptions, 'since' | 'limit'> {
  /** The id of the account. */
  readonly account?: string | undefined;
  readonly reason?: Reason | CallbackReason;
}

/** How long `waitFor` waits by default, in ms. */
export const DEFAULT_TIMEOUT = 5000;

/** The default of `limit`. */
export const DEFAULT_LIMIT = 1000;

/** Whether a record matches a filter. `limit` does not count here. */
export function matches(record: Kept, filter: Filter): boolean {
  const { since = 0, account, ended } = filter;
  return (
    record.id > since &&
    (account === undefined || record.account === account) &&
    (ended === undefined || record.ended === ended) &&
    matchesFields(record, filter)
  );
}

function matchesFields(record: Kept, filter: Filter): boolean {
  const { method, status, reason } = filter;
  const fields = record instanceof StoredRecord ? record.entry : record;
  return (
    (method === undefined || fields.method === method.toUpperCase()) &&
    (status === undefined || (fields.status === status && (status !== null || record.ended))) &&
    (reason === undefined || fields.reason === reason) &&
    ('attempt' in fields ? matchesAttempt(fields, filter) : matchesRequest(fields, filter))
  );
}

function matchesRequest(request: RequestRecord | JournalEntry, filter: Filter): boolean {
  const { operation, fault, aborted, path } = filter;
  return (
    (operation === undefined || request.operation === operation) &&
    (fault === undefined || request.fault === fault) &&
    (aborted === undefined || request.aborted === aborted) &&
    (path === undefined ||
      ('target' in request ? pathOf(request) : request.path) === path ||
      request.operation?.endsWith(` ${path}`) === true)
  );
}

function matchesAttempt(attempt: AttemptRecord | CallbackEntry, filter: Filter): boolean {
  const { attempt: number, url } = filter;
  return (
    (number === undefined || attempt.attempt === number) &&
    (url === undefined ||
      isUrl('url' in attempt ? attempt.url : redactedUrl(attempt.callback.url), url))
  );
}

/** The cost of matching a record against a filter, as a number of bytes to process. */
export function costOf(record: Kept, { path, url }: Filter): number {
  if (record instanceof StoredRecord) return 16 + record.bytes;
  if (record.kind === 'callbacks') return 16 + (url === undefined ? 0 : record.callback.url.length);
  const isParsed = path !== undefined && record.requested === undefined;
  return 16 + (isParsed ? (record.target?.length ?? 0) : 0);
}
