import type { Forgery } from '../callbacks/callback-script.ts';
import { redactedUrl, urlParts } from '../callbacks/callback-url.ts';
import type { FaultType } from '../fault.ts';
import { LONGEST_BODY } from '../limits.ts';
import { CALLBACK_HINTS, type CallbackReason, HINTS, type Reason } from '../reason.ts';
import type { RedactedResponse, Redactor } from '../redaction/redaction.ts';
import { parseTarget } from '../request-target.ts';
import {
  type AttemptRecord,
  type JournalRecord,
  pathOf,
  type RecordKind,
  type RequestRecord,
  type Source,
} from './record.ts';

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

/** The entry for a request, without secrets. */
function shownRequest(record: RequestRecord, redactor: Redactor): JournalEntry {
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
export function hintOf({ reason, detail, tls }: RequestRecord): string | null {
  if (reason !== null) return detail === null ? HINTS[reason] : `${HINTS[reason]} (${detail})`;
  return tls !== null && tls !== 'normal'
    ? `The client accepted a certificate that is ${tls} on purpose: it does not verify certificates.`
    : null;
}

/** A journal entry with the response. */
export interface RequestDetails extends JournalEntry {
  /** `null` until the response is decided, and for a connection without a request. */
  readonly response: RedactedResponse | null;
}

/** The entry for a request with its response, without secrets. */
export function shownDetails(record: Kept, redactor: Redactor): RequestDetails {
  if (record instanceof StoredRecord) return { ...(record.entry as RequestDetails), id: record.id };
  const { answer } = record as RequestRecord;
  const response = answer === null ? null : redactor.redactResponse(answer);
  return { ...shownRequest(record as RequestRecord, redactor), response };
}

/** An attempt of a callback. */
export interface CallbackEntry {
  /** Counts up in the order of the attempts, from 1. */
  readonly id: number;
  /** The time of the attempt by the clock of the account, ISO 8601. */
  readonly time: string;
  /** The id of the account that it is sent for; `null` for the whole service. */
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
  /** How it is forged; `null` if it is genuine. */
  readonly forge: Forgery | null;
  /** The status of the response; `null` if there was none. */
  readonly status: number | null;
  /** The reason if there is no status. */
  readonly reason: CallbackReason | null;
  /** One line that says how to fix the problem. */
  readonly hint: string | null;
  /** The time from the attempt to the end of the response, in ms; `null` while it is in flight. */
  readonly duration: number | null;
}

/** The entry for an attempt, without secrets. */
function shownAttempt(record: AttemptRecord, redactor: Redactor): CallbackEntry {
  const { id, time, account, callback, attempt, status, reason, durationMs } = record;
  const body = record.body ?? Buffer.alloc(0);
  const { base, query, password } = urlParts(callback.url);
  const parts = redactor.redactRequest({
    // So that the password is found wherever it stands.
    headers: { ...record.headers, ...(password !== undefined && { [PASSWORD]: password }) },
    path: base,
    operation: null,
    query,
    body: body.subarray(0, LONGEST_BODY).toString(),
    bodyCut: body.length > LONGEST_BODY,
  });
  const { [PASSWORD]: _, ...headers } = parts.headers;
  return {
    id,
    time: new Date(time).toISOString(),
    account,
    url: redactedUrl(callback.url, parts.path ?? base, parts.query),
    method: callback.method,
    headers,
    body: parts.body,
    attempt,
    forge: callback.forge ?? null,
    status,
    reason,
    hint: reason === null ? null : CALLBACK_HINTS[reason],
    duration: durationMs,
  };
}

/** The name of the password of a URL among the headers. It cannot be that of a header. */
const PASSWORD = 'password of the URL';

/** A record as a store has it: its entry as JSON without secrets, which is parsed when it is needed. */
export class StoredRecord {
  readonly kind: RecordKind;
  /** The process that has written it, and its number there. */
  readonly peer: string;
  readonly number: number;
  id = 0;
  account: string | null = null;
  ended = false;
  /** The size that its process has counted, in bytes. */
  size = 0;
  bytes = 0;
  /** The entry as JSON. */
  text = '';
  /** The attempt itself, in the process that has made it. */
  attempt: AttemptRecord | undefined;
  #entry: RequestDetails | CallbackEntry | undefined;

  constructor(kind: RecordKind, peer: string, number: number) {
    this.kind = kind;
    this.peer = peer;
    this.number = number;
  }

  /** Replaces what is known of it. */
  tell(ended: boolean, size: number, account: string | null, text: string): void {
    this.ended = ended;
    this.size = size;
    this.account = account;
    this.text = text;
    this.#entry = undefined;
  }

  get entry(): RequestDetails | CallbackEntry {
    this.#entry ??= JSON.parse(this.text) as RequestDetails | CallbackEntry;
    return this.#entry;
  }
}

/** What a journal keeps of a request or an attempt. */
export type Kept = JournalRecord | StoredRecord;

/** The entry for a record, without secrets. */
export function shown(record: Kept, redactor: Redactor): JournalEntry | CallbackEntry {
  if (record instanceof StoredRecord) {
    const { response: _, ...entry } = record.entry as RequestDetails;
    return { ...entry, id: record.id };
  }
  return record.kind === 'requests'
    ? shownRequest(record, redactor)
    : shownAttempt(record, redactor);
}

/** All that can be shown of a record, without secrets: what a store gets of it. */
export function shownWhole(
  record: JournalRecord,
  redactor: Redactor,
): RequestDetails | CallbackEntry {
  return record.kind === 'requests'
    ? shownDetails(record, redactor)
    : shownAttempt(record, redactor);
}
