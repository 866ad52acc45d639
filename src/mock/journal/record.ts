import { timeOfDay } from '../../timers.ts';
import type { Answer } from '../answer.ts';
import type { OutgoingCallback } from '../callbacks/callback.ts';
import type { Timers } from '../clock/timer-queue.ts';
import type { FaultType } from '../fault.ts';
import type { CallbackReason, Reason } from '../reason.ts';
import type { RequestHeaders } from '../redaction/redaction.ts';
import { parseTarget, type RequestTarget } from '../request-target.ts';

/** The source of a response. */
export type Source = 'fixture' | 'handler' | 'script' | 'override' | 'error' | 'preflight';

/** What the journals record: the requests that arrive, and the attempts of callbacks. */
export type RecordKind = 'requests' | 'callbacks';

/** What every record has. It contains secrets, so it is never shown. */
interface AnyRecord {
  /** Counts up for each kind, from 1. The store sets it when the record begins. */
  id: number;
  /** Unix time in ms: of an attempt, by the clock of its account. */
  readonly time: number;
  account: string | null;
  readonly method: string | null;
  readonly headers: RequestHeaders;
  /** The part of the body that is kept. */
  body: Buffer | null;
  status: number | null;
  /** The duration in ms, rounded to 0.1. */
  durationMs: number | null;
  /** Whether it changes no more. */
  ended: boolean;
  /** The size for the limit of the journal, in bytes. */
  bytes: number;
}

/** The record of a request. */
export interface RequestRecord extends AnyRecord {
  readonly kind: 'requests';
  readonly tls: string | null;
  /** The request target as it was received; `null` if it is invalid. */
  target: string | null;
  /** The path in the form for the log. */
  path: string | null;
  /** The requested path if an operation has it; `undefined` until it is needed. */
  requested: string | null | undefined;
  operation: string | null;
  /** Whether the body was longer than the kept part. */
  bodyCut: boolean;
  source: Source | null;
  file: string | null;
  variant: string | null;
  fault: FaultType | null;
  reason: Reason | null;
  /** What the hint is about, such as the part of a request. It contains no secrets. */
  detail: string | null;
  aborted: boolean;
  /** The response that was decided; its body and headers are shared, not copied. */
  answer: Answer | null;
}

/** The record of an attempt of a callback. */
export interface AttemptRecord extends AnyRecord {
  readonly kind: 'callbacks';
  readonly callback: OutgoingCallback;
  /** The clock by which the callback was queued. */
  readonly timers: Timers;
  /** From 1. */
  readonly attempt: number;
  reason: CallbackReason | null;
}

/** A record of a journal. */
export type JournalRecord = RequestRecord | AttemptRecord;

/** What is known of a request when it arrives. Without a request, only its headers are. */
export type Arrived = Pick<RequestRecord, 'method' | 'headers'> &
  Partial<Pick<RequestRecord, 'tls' | 'target' | 'path' | 'operation'>>;

/** Makes the record of a request that has just arrived. */
export function newRequest(arrived: Arrived): RequestRecord {
  return {
    kind: 'requests',
    id: 0,
    time: timeOfDay(),
    method: arrived.method,
    headers: arrived.headers,
    tls: arrived.tls ?? null,
    account: null,
    target: arrived.target ?? null,
    path: arrived.path ?? null,
    requested: undefined,
    operation: arrived.operation ?? null,
    body: null,
    bodyCut: false,
    status: null,
    source: null,
    file: null,
    variant: null,
    fault: null,
    reason: null,
    detail: null,
    durationMs: null,
    ended: false,
    aborted: false,
    answer: null,
    bytes: 0,
  };
}

/**
 * Makes the record of an attempt that begins.
 *
 * @param sent what is sent. @default that of the callback, without a signature
 */
export function newAttempt(
  callback: OutgoingCallback,
  began: Pick<AttemptRecord, 'time' | 'account' | 'timers' | 'attempt'>,
  { headers, body }: Pick<OutgoingCallback, 'headers' | 'body'> = callback,
): AttemptRecord {
  const { method } = callback;
  const ended = { status: null, reason: null, durationMs: null, ended: false };
  const kept = { id: 0, bytes: 0 };
  return { kind: 'callbacks', ...began, callback, method, headers, body, ...ended, ...kept };
}

/**
 * The size of a record in bytes, for the limit of the journal and for the work to show the record:
 * the body, the target or URL, and the names and values of the headers. Headers count for every request,
 * even if requests of one connection share them in memory, so that the number of records that a
 * journal keeps does not depend on the connections. The body of the response counts unless it is
 * that of a file, which is in memory anyway.
 */
export function bytesOf(record: JournalRecord): number {
  const { headers, body } = record;
  const bytes = (body?.length ?? 0) + headerBytes(headers);
  if (record.kind === 'callbacks') return bytes + record.callback.url.length;
  const { answer, target } = record;
  const own = answer === null || isShared(record) ? 0 : answer.body.length;
  return bytes + own + (target?.length ?? 0);
}

/** The sizes of headers, since all requests of a connection often share theirs. */
const measured = new WeakMap<RequestHeaders, number>();

/** The size of the names and values of headers, in bytes. */
function headerBytes(headers: RequestHeaders): number {
  const known = measured.get(headers);
  if (known !== undefined) return known;
  let bytes = 0;
  for (const [name, value = ''] of Object.entries(headers)) {
    const values = typeof value === 'string' ? [value] : value;
    for (const one of values) bytes += name.length + one.length;
  }
  measured.set(headers, bytes);
  return bytes;
}

/** Whether the response of a record is that of a file, which many records share. */
function isShared({ source }: Pick<RequestRecord, 'source'>): boolean {
  return source !== 'script' && source !== 'override' && source !== 'handler';
}

/**
 * The requested path if an operation has it; otherwise the path in the form for the log. The record
 * keeps it, because waits with a filter compare the path of every record.
 *
 * @param target the target of the record, if it was parsed already
 */
export function pathOf(record: RequestRecord, target?: RequestTarget): string | null {
  const { operation, path } = record;
  if (operation === null) return path;
  if (record.requested === undefined) {
    const { segments } = target ?? parseTarget(record.target ?? '') ?? {};
    record.requested = segments === undefined ? path : `/${segments.join('/')}`;
  }
  return record.requested;
}
