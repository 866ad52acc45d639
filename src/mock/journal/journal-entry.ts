import type { FaultType } from '../fault.ts';
import { HINTS, type Reason } from '../reason.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { parseTarget } from '../request-target.ts';
import { type JournalRecord, pathOf, type Source } from './journal-record.ts';

/** A received request and its response, or a connection that sent no request. */
export interface JournalEntry {
  /** Counts up in order of arrival, from 1. */
  readonly id: number;
  /** Time of arrival, ISO 8601. */
  readonly time: string;
  /** The id of the account of the key; `null` without a valid key. */
  readonly account: string | null;
  /**
   * The TLS mode when the connection was made. A request in a mode other than `normal` shows that
   * the client does not verify certificates. `null` without TLS.
   */
  readonly tls: string | null;
  readonly method: string | null;
  /**
   * The requested path if it is that of an operation. In an unknown path, only segments that look
   * like words are shown (letters, `.`, `-`, `_`, at most 24 characters, or a version such as
   * `v2`). Every other segment is `…`, because it may be a key.
   */
  readonly path: string | null;
  /** The operation that was requested, such as `GET /momo/balance`. */
  readonly operation: string | null;
  /** The parameters of the query. A repeated one is a list. Secrets are `[redacted]`. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The headers, with names in lower case. Secrets are `[redacted]`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as text, its first 65,536 bytes. Secrets are `[redacted]`. */
  readonly body: string;
  /** The status of the response; `null` if none was sent or the client did not receive it. */
  readonly status: number | null;
  readonly source: Source | null;
  /** The fixture file of the response. */
  readonly file: string | null;
  readonly variant: string | null;
  /** The fault that was injected. */
  readonly fault: FaultType | null;
  /** The reason if the request was refused. */
  readonly reason: Reason | null;
  /** One line that says how to fix the problem. */
  readonly hint: string | null;
  /** The time from the request to the end of the response, in ms; `null` while it is in flight. */
  readonly duration: number | null;
  /** Whether the request has ended: its response was sent or prevented, or its client has left. */
  readonly ended: boolean;
  /** Whether the client left before it had the whole response. */
  readonly aborted: boolean;
}

/** The entry for a record, without secrets. */
export function shown(record: JournalRecord, redactor: Redactor): JournalEntry {
  const { id, time, tls, account, method, operation, status, source } = record;
  const { file, variant, fault, reason, durationMs, aborted } = record;
  const target = parseTarget(record.target ?? '');
  const { headers, path, query, body } = redactor.redactRequest({
    headers: record.headers,
    path: pathOf(record, target),
    operation,
    query: target?.query ?? [],
    body: record.body?.toString() ?? '',
    bodyCut: record.bodyCut,
  });
  return {
    id,
    time: new Date(time).toISOString(),
    tls,
    account,
    method,
    path,
    operation,
    query,
    headers,
    body,
    status,
    source,
    file,
    variant,
    fault,
    reason,
    hint: hintOf(record),
    duration: durationMs,
    ended: record.ended,
    aborted,
  };
}

/** One line that says how to fix the problem of a request, if there is one. */
export function hintOf({ reason, detail, tls }: JournalRecord): string | null {
  if (reason !== null) return detail === null ? HINTS[reason] : `${HINTS[reason]} (${detail})`;
  return tls !== null && tls !== 'normal'
    ? `The client accepted a certificate that is ${tls} on purpose: it does not verify certificates.`
    : null;
}

/** A response as it was decided. A fault may have changed or prevented it. */
export interface ShownResponse {
  readonly status: number;
  /** The headers, with names in lower case. Secrets are `[redacted]`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as text, its first 65,536 bytes. Secrets are `[redacted]`. */
  readonly body: string;
}

/** A journal entry with the response. */
export interface RequestDetails extends JournalEntry {
  /** `null` until the response is decided, and for a connection without a request. */
  readonly response: ShownResponse | null;
}

/**
 * The entry for a record with its response, without secrets.
 *
 * @param longest the maximum length of the response's body, in bytes
 */
export function shownDetails(
  record: JournalRecord,
  redactor: Redactor,
  longest: number,
): RequestDetails {
  const { answer } = record;
  const entry = shown(record, redactor);
  if (answer === null) return { ...entry, response: null };
  const { headers, body } = redactor.redactRequest({
    headers: answer.headers,
    path: null,
    operation: null,
    query: [],
    body: answer.body.subarray(0, longest).toString(),
    bodyCut: answer.body.length > longest,
  });
  return { ...entry, response: { status: answer.status, headers, body } };
}
