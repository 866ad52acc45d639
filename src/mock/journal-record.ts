import { timeOfDay } from '../timers.ts';
import type { FaultType } from './fault.ts';
import { HINTS, type Reason } from './reason.ts';
import type { Redactor, RequestHeaders } from './redaction.ts';
import { parseTarget, type RequestTarget } from './request-target.ts';

/** The source of a response. */
export type Source = 'fixture' | 'script' | 'override' | 'error' | 'preflight';

/** The record of a request in the journal. It contains secrets, so it is never shown. */
export interface JournalRecord {
  /** Counts up in order of arrival, from 1. */
  readonly id: number;
  /** Unix time in ms. */
  readonly time: number;
  readonly tls: string | null;
  readonly method: string | null;
  readonly headers: RequestHeaders;
  account: string | null;
  /** The request target as it was received; `null` if it is invalid. */
  target: string | null;
  /** The path in the form for the log. */
  path: string | null;
  /** The requested path if an operation has it; `undefined` until it is needed. */
  requested: string | null | undefined;
  operation: string | null;
  /** The part of the body that is kept. */
  body: Buffer | null;
  /** Whether the body was longer than the kept part. */
  bodyCut: boolean;
  status: number | null;
  source: Source | null;
  file: string | null;
  variant: string | null;
  fault: FaultType | null;
  reason: Reason | null;
  /** The duration in ms, rounded to 0.1. */
  durationMs: number | null;
  aborted: boolean;
  /** The size for the limit of the journal, in bytes. */
  bytes: number;
}

/** Makes the record of a request that has just arrived. */
export function newRecord(
  id: number,
  arrived: Pick<JournalRecord, 'method' | 'headers' | 'tls'>,
): JournalRecord {
  return {
    id,
    time: timeOfDay(),
    ...arrived,
    account: null,
    target: null,
    path: null,
    requested: undefined,
    operation: null,
    body: null,
    bodyCut: false,
    status: null,
    source: null,
    file: null,
    variant: null,
    fault: null,
    reason: null,
    durationMs: null,
    aborted: false,
    bytes: 0,
  };
}

/**
 * The size of a record in bytes, for the limit of the journal and for the work to show the record:
 * the body, the target, and the names and values of the headers. Headers count for every request,
 * even if requests of one connection share them in memory, so that the number of records that a
 * journal keeps does not depend on the connections.
 */
export function bytesOf({ headers, target, body }: JournalRecord): number {
  let bytes = (target?.length ?? 0) + (body?.length ?? 0);
  for (const [name, value = ''] of Object.entries(headers)) {
    const values = typeof value === 'string' ? [value] : value;
    for (const one of values) bytes += name.length + one.length;
  }
  return bytes;
}

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
    aborted,
  };
}

/**
 * The requested path if an operation has it; otherwise the path in the form for the log. The record
 * keeps it, because waits with a filter compare the path of every record.
 *
 * @param target the target of the record, if it was parsed already
 */
export function pathOf(record: JournalRecord, target?: RequestTarget): string | null {
  const { operation, path } = record;
  if (operation === null) return path;
  if (record.requested === undefined) {
    const { segments } = target ?? parseTarget(record.target ?? '') ?? {};
    record.requested = segments === undefined ? path : `/${segments.join('/')}`;
  }
  return record.requested;
}

function hintOf({ reason, tls }: JournalRecord): string | null {
  if (reason !== null) return HINTS[reason];
  return tls !== null && tls !== 'normal'
    ? `The client accepted a certificate that is ${tls} on purpose: it does not verify certificates.`
    : null;
}
