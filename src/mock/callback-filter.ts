import * as Type from 'typebox';
import { CALLBACK_HINTS, type CallbackReason } from './callback-reason.ts';
import type { CallbackRecord } from './callback-record.ts';
import { define } from './check.ts';
import type { Definition } from './definition.ts';
import { type Filter, pageFields, type RequestsOptions } from './journal-filter.ts';
import { count } from './request-fields.ts';

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

/** Selects the attempts that match all fields of the filter. */
export interface CallbackFilter
  extends CallbackFields,
    Pick<Filter, 'account' | 'since' | 'limit'> {}

/** A filter, and the number of attempts to wait for. */
export interface CallbacksOptions
  extends CallbackFields,
    Pick<RequestsOptions, 'since' | 'limit' | 'waitFor' | 'timeout'> {}

const text = (description: string) => Type.Optional(Type.String({ description }));

/** The definitions of {@link CallbackFields}, apart from the type. */
export const CALLBACK_FIELDS = {
  url: text('Attempts with this URL, with or without its query.'),
  method: text('Attempts with this method.'),
  status: count('Attempts whose response has this status.', { minimum: 100, maximum: 599 }),
  reason: Type.Optional(
    Type.Enum(Object.keys(CALLBACK_HINTS) as CallbackReason[], {
      description: 'Attempts that have no status for this reason.',
    }),
  ),
  attempt: count('Attempts with this number, from 1.', { minimum: 1 }),
};

/** The definition of a filter of callbacks. */
export const CALLBACKS_OPTIONS: Definition<CallbacksOptions> = define(
  Type.Object(
    { ...CALLBACK_FIELDS, ...pageFields('attempts') },
    { $id: 'CallbackFilter', additionalProperties: false },
  ),
);

/** Whether a record matches a filter. `limit` does not count here. */
export function matchesCallback(record: CallbackRecord, filter: CallbackFilter): boolean {
  const { account, url, method, status, reason, attempt, since = 0 } = filter;
  return (
    record.id > since &&
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
