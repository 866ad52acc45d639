import type { MomoOperation } from '../operations/operation-name.ts';
import type { RequestReason, WebhookReason } from '../requests/reason.ts';
import { isPathOf } from '../requests/request-target.ts';
import type { ResponseFaultType } from '../responses/faults.ts';
import { isUrl } from '../webhooks/webhook-url.ts';
import type { ComparedFields, JournalRecord } from './record.ts';

/** The fields that select requests, in filters and in expectations. */
export interface RequestFields {
  /** The HTTP method, such as `GET`. */
  readonly method?: string;
  /**
   * The requested path or the operation's path, such as `/momo/balance`, without the query. How it is
   * percent-encoded does not matter.
   */
  readonly path?: string;
  /** The name of the operation, such as `GET /momo/status/:reference`. */
  readonly operation?: MomoOperation;
  /** The status of the response; `null` for a request that ended without a status line. */
  readonly status?: number | null;
  /** The reason for a refusal. */
  readonly reason?: RequestReason;
  /** The fault that was injected. */
  readonly fault?: ResponseFaultType;
  /** Whether the client left before it had the whole response. */
  readonly aborted?: boolean;
  /** Whether the request has ended. */
  readonly ended?: boolean;
}

/** The fields that select webhook attempts, in filters and in expectations. */
export interface WebhookFields {
  /** The URL, with or without its query. */
  readonly url?: string;
  /** The HTTP method, such as `POST`. */
  readonly method?: string;
  /** The status of the response. */
  readonly status?: number;
  /** The reason if there is no status. */
  readonly reason?: WebhookReason;
  /** The number of the attempt, from 1. */
  readonly attempt?: number;
}

/** Selects requests, and how many to wait for. */
export interface RequestsOptions extends RequestFields {
  /** The filter leaves out this request and those before it. */
  readonly since?: number;
  /**
   * The maximum number of requests, the newest ones.
   *
   * @default 1000, or `waitFor` if that is greater
   */
  readonly limit?: number;
  /** Wait until this many requests match. If fewer do within `timeout`, it is an error. @default 0 */
  readonly waitFor?: number;
  /**
   * The maximum time to wait, in ms.
   *
   * @default 5000
   */
  readonly timeout?: number;
}

/** Selects webhook attempts, and how many to wait for. */
export interface WebhooksOptions
  extends WebhookFields,
    Pick<RequestsOptions, 'since' | 'limit' | 'timeout'> {
  /** Wait until this many attempts have ended. @default 0 */
  readonly waitFor?: number;
}

/** A status from 200 to 299. */
export const SUCCESSFUL = '2xx' as const;

/** Selects the journal records that match all fields. */
export interface Filter
  extends Omit<RequestFields, 'reason' | 'status'>,
    Omit<WebhookFields, 'reason' | 'status'>,
    Pick<RequestsOptions, 'since' | 'limit'> {
  readonly account?: string | undefined;
  readonly reason?: RequestReason | WebhookReason;
  readonly status?: number | null | typeof SUCCESSFUL;
}

export const DEFAULT_TIMEOUT_MS = 5000;

export const DEFAULT_LIMIT = 1000;

export type Place = readonly [field: string, ...names: (string | number)[]];

/** How what really came differs from what is expected. It contains secrets. */
export interface Difference {
  /** The names that lead to the value, such as `['status']` or `['body', 'items', 0, 'amount']`. */
  readonly place: Place;
  readonly expected: unknown;
  /** `undefined` if the record does not have the value. */
  readonly received: unknown;
}

/** A place in words, such as `query.page` or `body.items[0].amount`. */
export function fieldOf([field, ...names]: Place): string {
  return names.reduce<string>(
    (text, name) => (typeof name === 'number' ? `${text}[${name}]` : `${text}.${name}`),
    field,
  );
}

/** Whether a record matches a filter. Ignores `limit`. */
export function matches(record: JournalRecord, filter: Filter): boolean {
  const { since = 0, account, limit: _, ...fields } = filter;
  if (record.id <= since || (account !== undefined && record.account !== account)) return false;
  return differences(record, fields).next().done === true;
}

function isSuccessful({ status }: Pick<ComparedFields, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

const PLAIN_FIELDS = [
  'method',
  'operation',
  'status',
  'reason',
  'attempt',
  'fault',
  'aborted',
] as const;

/** The fields of a record, or of a webhook before it is sent, that differ from the expected ones. */
export function* differences(record: ComparedFields, filter: Filter): Generator<Difference, void> {
  const { url, path, method, status } = filter;
  if (url !== undefined && !isUrl(record.url ?? '', url)) {
    yield { place: ['url'], expected: url, received: record.url };
  }
  for (const field of PLAIN_FIELDS) {
    const expected = field === 'method' ? method?.toUpperCase() : filter[field];
    const received = record[field];
    if (expected === SUCCESSFUL && isSuccessful(record)) continue;
    if (expected !== undefined && received !== expected)
      yield { place: [field], expected, received };
  }
  // A request in flight may still get a status.
  const ended = status === null ? true : filter.ended;
  if (ended !== undefined && record.ended !== ended) {
    yield { place: ['ended'], expected: ended, received: record.ended };
  }
  const { requestedPath, operation } = record;
  if (path !== undefined && !isPathOf(path, { path: requestedPath, operation })) {
    yield { place: ['path'], expected: path, received: requestedPath };
  }
}
