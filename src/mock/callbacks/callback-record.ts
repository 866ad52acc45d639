import type { Timers } from '../clock/clock.ts';
import { headerBytes } from '../journal/journal-record.ts';
import { LONGEST_BODY } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { CallbackEntry } from './callback-entry.ts';
import { CALLBACK_HINTS, type CallbackReason } from './callback-reason.ts';
import { shownUrl, urlParts } from './callback-url.ts';
import type { PreparedCallback } from './prepared-callback.ts';

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
