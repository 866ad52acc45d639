import type { Timers } from '../clock/clock.ts';
import { headerBytes } from '../journal/journal-record.ts';
import { LONGEST_BODY } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { CallbackFilter } from './callback-filter.ts';
import { isUrl, shownUrl, urlParts } from './callback-url.ts';
import type { PreparedCallback } from './prepared-callback.ts';

/**
 * The reasons for which an attempt of a callback has no status, each with a one-line hint for the
 * journal and the live page. The hints never quote the callback.
 */
export const CALLBACK_HINTS = {
  'bad-url':
    'The URL does not begin with http:// or https://, or is invalid. Check what the handler takes it from.',
  'host-not-allowed':
    'Callbacks only go to this machine. Add the host to MOMO_MOCK_CALLBACK_HOSTS, or to callbackHosts of startMomoMock.',
  'connection-failed':
    'The connection failed or was closed before the end of the response. Check that the application runs, and that it listens on the host and port of the URL.',
  'tls-failed':
    'The TLS handshake failed. Trust the certificate of the application: NODE_EXTRA_CA_CERTS=ca.pem for the process of momo-mock. Write http:// in the URL if the application uses no TLS.',
  timeout:
    'The application sent no complete response in time. Respond earlier, or raise timeout in the handler.',
  lost: 'It was not sent, because a test scripted {"lose": true}.',
  cancelled: 'The mock was reset or stopped during the attempt.',
} as const;

/** A reason for which an attempt has no status. There are no others. */
export type CallbackReason = keyof typeof CALLBACK_HINTS;

/** An attempt of a callback. */
export interface CallbackEntry {
  /** Counts up in the order of the attempts, from 1. */
  readonly id: number;
  /** The time of the attempt by the clock of the account, ISO 8601. */
  readonly time: string;
  /** The id of the account whose handler queued it. */
  readonly account: string | null;
  /**
   * The URL as it is sent, without its fragment. Secrets are `[redacted]`. `[invalid URL]` if it is no
   * URL of `http:` or `https:` and may contain a password.
   */
  readonly url: string;
  readonly method: string;
  /** The headers, with names in lower case. Secrets are `[redacted]`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as text, its first 65,536 bytes. Secrets are `[redacted]`. */
  readonly body: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** The status of the response; `null` if there was none. */
  readonly status: number | null;
  /** The reason if there is no status. */
  readonly reason: CallbackReason | null;
  /** One line that says how to fix the problem. */
  readonly hint: string | null;
  /** The time from the attempt to the end of the response, in ms; `null` while it is in flight. */
  readonly duration: number | null;
}

/** The record of an attempt of a callback. It contains secrets, so it is never shown. */
export interface CallbackRecord {
  /** Counts up in the order of the attempts, from 1. */
  readonly id: number;
  /** Unix time in ms, by the clock of the account. */
  readonly time: number;
  /** The id of the account; `null` if the callback is of none. */
  readonly account: string | null;
  readonly callback: PreparedCallback;
  /** The clock by which the callback was queued. */
  readonly timers: Timers;
  /** From 1. */
  readonly attempt: number;
  status: number | null;
  reason: CallbackReason | null;
  /** The duration in ms, rounded to 0.1. */
  durationMs: number | null;
  /** The size for the limit of the journal, in bytes. */
  bytes: number;
  /** The position of its last event in the feed. */
  position: number;
}

/** The size of a record in bytes: the URL, the body, and the names and values of the headers. */
export function callbackBytes({ callback }: CallbackRecord): number {
  const { url, headers, body } = callback;
  return url.length + body.length + headerBytes(headers);
}

/** The entry for a record, without secrets. */
export function shownCallback(record: CallbackRecord, redactor: Redactor): CallbackEntry {
  const { id, time, account, callback, attempt, status, reason, durationMs } = record;
  const { base, query, password } = urlParts(callback.url);
  const parts = redactor.redactRequest({
    // So that the password is found wherever it stands.
    headers: { ...callback.headers, ...(password !== undefined && { [PASSWORD]: password }) },
    path: base,
    operation: null,
    query,
    body: callback.body.subarray(0, LONGEST_BODY).toString(),
    bodyCut: callback.body.length > LONGEST_BODY,
  });
  const { [PASSWORD]: _, ...headers } = parts.headers;
  return {
    id,
    time: new Date(time).toISOString(),
    account,
    url: shownUrl(callback.url, parts.path ?? base, parts.query),
    method: callback.method,
    headers,
    body: parts.body,
    attempt,
    status,
    reason,
    hint: reason === null ? null : CALLBACK_HINTS[reason],
    duration: durationMs,
  };
}

/** The name of the password of a URL among the headers. It cannot be that of a header. */
const PASSWORD = 'password of the URL';

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
