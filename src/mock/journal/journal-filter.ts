import type { FaultType } from '../fault.ts';
import type { Reason } from '../reason.ts';
import { type JournalRecord, pathOf } from './journal-record.ts';

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

/** Selects the records of the journal that match all fields of the filter. */
export interface Filter extends RequestFields {
  /** The id of the account. Tests do not set it; it comes from the key that they send. */
  readonly account?: string;
  /** Only records after the one with this id. */
  readonly since?: number;
  /**
   * The maximum number of records. The newest are selected.
   *
   * @default 1000, or `waitFor` if that is more
   */
  readonly limit?: number;
}

/** A filter, and the number of records to wait for. */
export interface RequestsOptions extends Omit<Filter, 'account'> {
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

/** How long `waitFor` waits by default, in ms. */
export const DEFAULT_TIMEOUT = 5000;

/** The default of `limit`. */
export const DEFAULT_LIMIT = 1000;

/** Whether a record matches a filter. `limit` does not count here. */
export function matches(record: JournalRecord, filter: Filter): boolean {
  const { account, method, operation, status, reason, path, since = 0 } = filter;
  const { fault, aborted, ended } = filter;
  return (
    record.id > since &&
    (account === undefined || record.account === account) &&
    (method === undefined || record.method === method.toUpperCase()) &&
    (operation === undefined || record.operation === operation) &&
    (status === undefined || (record.status === status && (status !== null || record.ended))) &&
    (reason === undefined || record.reason === reason) &&
    (fault === undefined || record.fault === fault) &&
    (aborted === undefined || record.aborted === aborted) &&
    (ended === undefined || record.ended === ended) &&
    (path === undefined ||
      pathOf(record) === path ||
      record.operation?.endsWith(` ${path}`) === true)
  );
}

/** The cost of matching a record against a filter, as a number of bytes to process. */
export function costOf({ requested, target }: JournalRecord, { path }: Filter): number {
  const isParsed = path !== undefined && requested === undefined;
  return 16 + (isParsed ? (target?.length ?? 0) : 0);
}
