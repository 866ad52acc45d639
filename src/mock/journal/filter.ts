import { isUrl } from '../callbacks/callback-url.ts';
import type { FaultType } from '../fault.ts';
import type { CallbackReason, Reason } from '../reason.ts';
import type { JournalRecord } from './record.ts';

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

/** Whether a record matches a filter, apart from `limit`. */
export function matches(record: JournalRecord, filter: Filter): boolean {
  const { since = 0, account, ended, method, status, path, url } = filter;
  // Only a filter that needs them asks for the fields, because the first who asks parses JSON.
  const isSame = (name: 'operation' | 'reason' | 'fault' | 'aborted' | 'attempt') =>
    filter[name] === undefined || record.fields[name] === filter[name];
  return (
    record.id > since &&
    (account === undefined || record.account === account) &&
    (ended === undefined || record.ended === ended) &&
    (method === undefined || record.fields.method === method.toUpperCase()) &&
    // A request without a status may still get one.
    (status === undefined ||
      (record.fields.status === status && (status !== null || record.ended))) &&
    (['operation', 'reason', 'fault', 'aborted', 'attempt'] as const).every(isSame) &&
    (path === undefined ||
      record.fields.path === path ||
      record.fields.operation?.endsWith(` ${path}`) === true) &&
    (url === undefined || isUrl(record.fields.url ?? '', url))
  );
}
