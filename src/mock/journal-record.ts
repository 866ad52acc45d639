import { timeOfDay } from '../timers.ts';
import type { FaultType } from './fault.ts';
import { HINTS, type Reason } from './reason.ts';
import type { Redactor, RequestHeaders } from './redaction.ts';
import { parseTarget, type RequestTarget } from './request-target.ts';

/** Where a response comes from. */
export type Source = 'fixture' | 'script' | 'override' | 'error' | 'preflight';

/** What the journal keeps of a request. It still holds secrets, so it is never shown. */
export interface JournalRecord {
  /** Counts up in order of arrival, from 1. */
  readonly id: number;
  /** Unix time in ms. */
  readonly time: number;
  readonly tls: string | null;
  readonly method: string | null;
  readonly headers: RequestHeaders;
  account: string | null;
  /** The request target as it came over the wire; `null` where it is not valid. */
  target: string | null;
  /** The path as it may be logged. */
  path: string | null;
  /** The path that was requested of an operation; `undefined` until somebody looks for it. */
  requested: string | null | undefined;
  operation: string | null;
  /** What was kept of the body. */
  body: Buffer | null;
  /** Whether more of the body came than was kept. */
  bodyCut: boolean;
  status: number | null;
  source: Source | null;
  file: string | null;
  variant: string | null;
  fault: FaultType | null;
  reason: Reason | null;
  /** In ms, rounded to 0.1. */
  durationMs: number | null;
  aborted: boolean;
  /** What it counts in the journal, in bytes. */
  bytes: number;
}

/** The record of a request of which nothing more is known than how it arrived. */
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
 * What a record counts in the bytes that a journal keeps, and in the work to show it: the body, the
 * target, and the names and values of the headers. Headers count for each request, also where
 * requests of one connection have the same ones and share them in memory: a journal of the same
 * requests keeps as many, whichever way they came.
 */
export function bytesOf({ headers, target, body }: JournalRecord): number {
  let bytes = (target?.length ?? 0) + (body?.length ?? 0);
  for (const [name, value = ''] of Object.entries(headers)) {
    const values = typeof value === 'string' ? [value] : value;
    for (const one of values) bytes += name.length + one.length;
  }
  return bytes;
}

/** A request that the mock received, and its response; or a connection that sent no request. */
export interface JournalEntry {
  /** Counts up in order of arrival, from 1. */
  readonly id: number;
  /** Time of arrival, ISO 8601. */
  readonly time: string;
  /** The id of the account that the key opened. `null` where there was no valid key. */
  readonly account: string | null;
  /**
   * The TLS mode that the connection began in. A request under another than `normal` shows that
   * the client does not verify certificates. `null` without TLS.
   */
  readonly tls: string | null;
  readonly method: string | null;
  /**
   * The path as requested where it is that of an operation. Of an unknown path, segments that look
   * like words stay (letters, `.`, `-`, `_`, at most 24 characters, or a version such as `v2`);
   * every other segment is `…`, because it may be a key.
   */
  readonly path: string | null;
  /** The operation that was requested, such as `GET /momo/balance`. */
  readonly operation: string | null;
  /** A parameter that came several times is a list. Secrets are `[redacted]`. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Names in lower case. Secrets are `[redacted]`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as text, its first 65,536 bytes. Secrets are `[redacted]`. */
  readonly body: string;
  /** Status of the response; `null` while there is none, and where the client never got one. */
  readonly status: number | null;
  readonly source: Source | null;
  /** The fixture file of the response. */
  readonly file: string | null;
  readonly variant: string | null;
  /** The fault that was injected. */
  readonly fault: FaultType | null;
  /** Why the request was refused. */
  readonly reason: Reason | null;
  /** One line that says how to fix that. */
  readonly hint: string | null;
  /** From the request to the end of the response, in ms; `null` while it is in flight. */
  readonly duration: number | null;
  /** The client went away before it had the whole response. */
  readonly aborted: boolean;
}

/** A record as it may be shown, without secrets. */
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
 * The path that was requested, where an operation has it; else the one that may be logged. It is
 * kept, because those who wait look for it in every record.
 *
 * @param target the target of the record, where it was parsed already
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
    ? `The client accepted TLS that is ${tls} on purpose: it does not verify certificates.`
    : null;
}
