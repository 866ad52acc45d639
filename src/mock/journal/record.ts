import { timeOfDay } from '../../timers.ts';
import { inTurns } from '../in-turns.ts';
import { MAX_BODY_BYTES } from '../limits.ts';
import type { Redactor, RequestParts } from '../redaction/redaction.ts';
import { bodyText } from '../requests/body-text.ts';
import { DEFAULT_KEY_RULE, type KeyRule } from '../requests/key-rule.ts';
import {
  EARLY_TIMEOUT,
  REFUSED_WEBHOOK_HINTS,
  type RequestReason,
  redactedReason,
  WEBHOOK_HINTS,
  type WebhookReason,
} from '../requests/reason.ts';
import { type Pair, parseTarget, type RequestHeaders } from '../requests/request-target.ts';
import type { ResponseFaultType } from '../responses/faults.ts';
import type { HttpResponse } from '../responses/http-response.ts';
import type { ResponseSource } from '../responses/source-words.ts';
import type { OutgoingWebhook } from '../webhooks/webhook.ts';
import { partsOfUrl, redactedUrl, withoutPassword } from '../webhooks/webhook-url.ts';
import type { RequestDetails, RequestEntry, WebhookEntry } from './entry.ts';

export type RecordKind = 'requests' | 'webhooks';

/** The fields that filters, expectations and webhook scripts compare. They contain secrets. */
export interface ComparedFields
  extends Partial<Pick<RequestEntry, 'operation' | 'fault' | 'aborted' | 'ended'>>,
    Partial<Pick<WebhookEntry, 'url' | 'attempt'>> {
  readonly method: string | null;
  readonly status: number | null;
  readonly reason: RequestReason | WebhookReason | null;
  /** The path as requested, also where no operation has it. */
  readonly requestedPath?: string | null;
}

/** A request or an attempt in a journal. Its entry is only created on demand. */
abstract class BaseRecord<Entry extends RequestEntry | WebhookEntry> {
  abstract readonly kind: RecordKind;
  /** Whether the entry has only the beginning of the body. */
  abstract readonly bodyCut: boolean;
  abstract readonly headers: RequestHeaders;
  abstract readonly body: Buffer | null;
  /** Counts up for each kind, from 1. Set by the journal. */
  id = 0;
  account: string | null = null;
  ended = false;
  /** The size that the journal counted last. */
  bytes = 0;

  /** In bytes. Headers that requests share count for each, so that connections do not matter. */
  get size(): number {
    return (this.body?.length ?? 0) + headerSize(this.headers);
  }

  /** The parameters of the query, in order. */
  abstract readonly query: readonly Pair[];
  /** The body as text, up to 64 KiB. */
  abstract readonly text: string;
  /** What redaction searches for secrets. */
  abstract readonly parts: RequestParts;

  abstract entry(redactor: Redactor): Entry;

  details(redactor: Redactor): Entry {
    return this.entry(redactor);
  }
}

/** A record of a journal. It contains secrets. */
export type JournalRecord = RequestRecord | AttemptRecord;

/** What is known when a request arrives. For a connection without a request, it is only headers. */
export type Arrived = Pick<RequestRecord, 'method' | 'headers'> &
  Partial<Pick<RequestRecord, 'tls' | 'target' | 'loggedPath' | 'operation'>>;

/** A request, or a connection that sent none. */
export class RequestRecord extends BaseRecord<RequestEntry> {
  readonly kind = 'requests';
  readonly time = timeOfDay();
  readonly method: string | null;
  readonly headers: RequestHeaders;
  readonly tls: string | null;
  /** The request target as received; `null` if it is invalid. */
  readonly target: string | null;
  readonly loggedPath: string | null;
  readonly operation: RequestEntry['operation'];
  body: Buffer | null = null;
  bodyCut = false;
  status: number | null = null;
  source: ResponseSource | null = null;
  file: string | null = null;
  variant: string | null = null;
  fault: ResponseFaultType | null = null;
  reason: RequestReason | null = null;
  /** What the hint is about, such as a part of the request. It contains no secrets. */
  detail: string | null = null;
  durationMs: number | null = null;
  aborted = false;
  /** The decided response. Its body and headers are shared, not copied. */
  http: HttpResponse | null = null;
  readonly #keyRule: KeyRule;
  #loggedReason: string | undefined;
  #path: string | null | undefined;
  #givenHint: string | undefined;

  constructor(arrived: Arrived, keyRule: KeyRule = DEFAULT_KEY_RULE) {
    super();
    this.#keyRule = keyRule;
    this.method = arrived.method;
    this.headers = arrived.headers;
    this.tls = arrived.tls ?? null;
    this.target = arrived.target ?? null;
    this.loggedPath = arrived.loggedPath ?? null;
    this.operation = arrived.operation ?? null;
  }

  /**
   * The path as requested if an operation has it, or if the key was in a header; otherwise the path as
   * the log shows it.
   */
  get path(): string | null {
    const hasKey = this.operation === null && !(this.#keyRule.isInHeader && this.account !== null);
    return hasKey ? this.loggedPath : this.requestedPath;
  }

  /** The path with its secrets. It is cached, because every wait with a filter compares it. */
  get requestedPath(): string | null {
    this.#path ??= parseTarget(this.target ?? '')?.path ?? this.loggedPath;
    return this.#path;
  }

  get hint(): string | null {
    const { reason, detail, tls } = this;
    if (reason !== null) {
      const hint = this.#givenHint ?? this.#keyRule.hint(reason);
      if (hint === undefined) return detail;
      return detail === null ? hint : `${hint} (${detail})`;
    }
    return tls !== null && tls !== 'normal'
      ? `The client accepted a certificate that is ${tls} on purpose: it does not verify certificates.`
      : null;
  }

  /** A response from a file does not count, because the file is in memory anyway. */
  override get size(): number {
    const { http, source } = this;
    const isOwn = source === 'script' || source === 'balance' || source === 'handler';
    const response = isOwn ? (http?.body.length ?? 0) : 0;
    return super.size + (this.target?.length ?? 0) + response;
  }

  get query(): readonly Pair[] {
    return parseTarget(this.target ?? '')?.query ?? [];
  }

  get text(): string {
    const [type] = [this.headers['content-type']].flat();
    return this.body === null ? '' : bodyText(this.body, type);
  }

  get parts(): RequestParts {
    const { headers, path, operation, query, text, bodyCut } = this;
    return { headers, path, operation, query, body: text, bodyCut };
  }

  /** The reason as the log and the metrics have it, without a key. */
  get loggedReason(): string | null {
    return this.#loggedReason ?? this.reason;
  }

  /** @param reason may be a handler's, with a key in it */
  setReason(reason: RequestReason | undefined, redactor: Redactor): void {
    this.reason = reason ?? null;
    this.#loggedReason = reason && redactedReason(reason, redactor);
  }

  /** Sets a hint about this request, in the place of the reason's, without the request's secrets. */
  give(hint: string, redactor: Redactor): void {
    this.#givenHint = `${redactor.redactRequest({ ...this.parts, also: hint }).also}`;
  }

  entry(redactor: Redactor): RequestEntry {
    const { id, time, tls, account, method, operation, status, source } = this;
    const { file, variant, fault, reason, hint, durationMs, ended, aborted } = this;
    const { headers, path, query, body } = redactor.redactRequest(this.parts);
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
      reason: reason && redactedReason(reason, redactor),
      hint,
      duration: durationMs,
      ended,
      aborted,
    };
  }

  override details(redactor: Redactor): RequestDetails {
    return {
      ...this.entry(redactor),
      response: this.http && redactedResponse(this.http, redactor),
    };
  }
}

function redactedResponse({ status, headers, body }: HttpResponse, redactor: Redactor) {
  const [type] = [headers['content-type']].flat();
  const text = bodyText(body.subarray(0, MAX_BODY_BYTES), type);
  const bodyCut = body.length > MAX_BODY_BYTES;
  const redacted = redactor.redactRequest({ headers, body: text, bodyCut });
  return { status, headers: redacted.headers, body: redacted.body };
}

type Begun = Pick<AttemptRecord, 'time' | 'account' | 'attempt' | 'isAwaited'>;

export class AttemptRecord extends BaseRecord<WebhookEntry> {
  readonly kind = 'webhooks';
  readonly webhook: OutgoingWebhook;
  /** Unix time in ms, by the account's clock. */
  readonly time: number;
  readonly attempt: number;
  /** Whether its response waits until it has ended. */
  readonly isAwaited: boolean;
  readonly headers: RequestHeaders;
  readonly body: Buffer;
  status: number | null = null;
  accepted: boolean | null = null;
  reason: WebhookReason | null = null;
  durationMs: number | null = null;

  /** @param sent what is sent. @default the webhook's own headers and body, unsigned */
  constructor(
    webhook: OutgoingWebhook,
    { time, account, attempt, isAwaited }: Begun,
    { headers, body }: Pick<OutgoingWebhook, 'headers' | 'body'> = webhook,
  ) {
    super();
    this.webhook = webhook;
    this.time = time;
    this.account = account;
    this.attempt = attempt;
    this.isAwaited = isAwaited;
    this.headers = headers;
    this.body = body;
  }

  get method(): string {
    return this.webhook.method;
  }

  get url(): string {
    return this.webhook.url;
  }

  get query(): readonly Pair[] {
    return partsOfUrl(this.url).query;
  }

  get text(): string {
    return this.body.subarray(0, MAX_BODY_BYTES).toString();
  }

  get parts(): RequestParts {
    const { url, headers, text, bodyCut } = this;
    const parts = partsOfUrl(url);
    return { ...parts, headers: { ...headers, ...parts.headers }, body: text, bodyCut };
  }

  get bodyCut(): boolean {
    return this.body.length > MAX_BODY_BYTES;
  }

  override get size(): number {
    return super.size + this.webhook.url.length;
  }

  /** Whether it did not get through, although it should: not one that a test loses or forges. */
  get isFailed(): boolean {
    const { reason, accepted, webhook } = this;
    const isMeant = reason === 'lost' || reason === 'cancelled';
    const isForged = webhook.forge !== undefined && reason === null;
    return accepted === false && !isMeant && !isForged;
  }

  get hint(): string | null {
    const { reason, status, isAwaited } = this;
    if (reason === null) return (this.isFailed && REFUSED_WEBHOOK_HINTS[status ?? 0]) || null;
    const hint = WEBHOOK_HINTS[reason];
    return reason === 'timeout' && isAwaited ? `${hint} ${EARLY_TIMEOUT}` : hint;
  }

  entry(redactor: Redactor): WebhookEntry {
    const { id, time, account, webhook, url, method, attempt, status, accepted, reason } = this;
    const redacted = redactor.redactRequest(this.parts);
    return {
      id,
      time: new Date(time).toISOString(),
      account,
      url: redactedUrl(url, redacted),
      method,
      headers: withoutPassword(redacted.headers),
      body: redacted.body,
      webhookId: webhook.id,
      attempt,
      forge: webhook.forge ?? null,
      status,
      accepted,
      reason,
      hint: this.hint,
      duration: this.durationMs,
    };
  }
}

/** The sizes of headers. All requests of a connection often share their headers. */
const headerSizes = new WeakMap<RequestHeaders, number>();

function headerSize(headers: RequestHeaders): number {
  const cached = headerSizes.get(headers);
  if (cached !== undefined) return cached;
  let size = 0;
  for (const [name, value = ''] of Object.entries(headers)) {
    for (const line of [value].flat()) size += name.length + line.length;
  }
  headerSizes.set(headers, size);
  return size;
}

export function entriesOf(
  records: readonly JournalRecord[],
  redactor: Redactor,
): Promise<(RequestEntry | WebhookEntry)[]> {
  return inTurns(records, bytesOf, (record) => record.entry(redactor));
}

export function bytesOf({ bytes }: JournalRecord): number {
  return bytes;
}
