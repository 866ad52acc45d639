import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Logger, logRequest } from '../log/logger.ts';
import type { Account } from '../mock/account/account.ts';
import { RequestRecord } from '../mock/journal/record.ts';
import { MAX_BODY_BYTES } from '../mock/limits.ts';
import type { Credentials, Mock } from '../mock/mock.ts';
import type { FixtureTree, Operation } from '../mock/operations/operation.ts';
import type { RequestViolation } from '../mock/requests/request-schema.ts';
import {
  fieldsOf,
  type RequestHeaders,
  type RequestTarget,
} from '../mock/requests/request-target.ts';
import type { Decision } from '../mock/responses/decide.ts';
import { FAULTS } from '../mock/responses/faults.ts';
import type { HttpResponse } from '../mock/responses/http-response.ts';
import { EarlyWebhooks } from '../mock/webhooks/early-webhooks.ts';
import type { PreparedWebhook } from '../mock/webhooks/webhook.ts';
import type { Connection } from '../net/connection.ts';
import type { Connections } from '../net/connections.ts';
import { clearTimeout, monotonicTime, setTimeout } from '../timers.ts';
import type { CorsOrigin } from './cors.ts';

export interface Service {
  readonly mock: Mock;
  readonly tree: FixtureTree;
  readonly corsOrigin: CorsOrigin;
  /** The time limit for a request's body, and for a handler, in ms. */
  readonly clientTimeout: number;
  readonly logger: Logger;
  readonly connections: Connections;
  /**
   * The complete headers of responses, if they are the same for all clients. Building them for each
   * request would cost a twentieth of its CPU.
   */
  readonly headersCache: WeakMap<HttpResponse, OutgoingHttpHeaders>;
  /** The methods of the operations at the path of a request that has no operation. */
  readonly methodsAt: (request: RoutedMessage) => readonly string[];
}

/** A decided response, with details of a rejection. */
export interface ServiceResponse extends Decision {
  /** The violations of the request schema, for the error handler. */
  readonly problems?: readonly RequestViolation[];
}

/** Fields that all requests on a connection share. */
export interface ClientSocket extends Socket {
  /** The TLS mode when the connection was opened. */
  tlsMode?: string;
  /** The headers of the latest request. */
  latest?: { readonly raw: readonly string[]; readonly headers: RequestHeaders };
}

/** A request with its target as parsed for the router; `undefined` if it is invalid. */
export interface RoutedMessage extends IncomingMessage {
  target?: RequestTarget | undefined;
}

const NO_BODY = Buffer.alloc(0);

/**
 * One request from its arrival to its end. Its response is decided exactly once. It ends exactly
 * once, when the response closes: the journal record says what was really sent, and is logged.
 */
export class ServiceRequest {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly service: Service;
  readonly record: RequestRecord;
  /** It is `undefined` if it is invalid. */
  readonly target: RequestTarget | undefined;
  readonly operation: Operation | undefined;
  credentials: Credentials | undefined;
  /** The account of its key; `undefined` before the key check. */
  account: Account | undefined;
  #releaseSecrets = () => {};
  /** The whole body, for handlers. Without its content encoding. */
  body: Buffer = NO_BODY;
  /** Completes a sentence about a body that cannot be decoded. */
  bodyProblem: string | undefined;
  readonly #began = monotonicTime();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** It is `undefined` for a request without webhooks and without a handler. */
  early: EarlyWebhooks | undefined;
  #isEnded = false;

  constructor(
    raw: RoutedMessage,
    response: ServerResponse,
    service: Service,
    operation?: Operation,
  ) {
    const { mock } = service;
    const { target } = raw;
    const { tlsMode }: ClientSocket = raw.socket;
    this.raw = raw;
    this.response = response;
    this.service = service;
    this.operation = operation;
    this.target = target;
    this.record = new RequestRecord(
      {
        method: raw.method ?? null,
        headers: receivedHeaders(raw),
        tls: tlsMode ?? null,
        target: target?.text ?? null,
        operation: operation?.name ?? null,
        loggedPath:
          operation?.template ?? (target && mock.redactor.loggablePath(target.segments)) ?? null,
      },
      mock.keyRule,
    );
    mock.journals.requests.add(this.record);
    response.on('close', () => this.#end());
  }

  /** Until the request ends, the account's secrets stay secrets, even if a test removes it. */
  use(account: Account | undefined): void {
    this.account = account;
    if (account !== undefined && !this.#isEnded) this.#releaseSecrets = account.secrets.hold();
  }

  get connection(): Connection | undefined {
    return this.service.connections.of(this.raw.socket);
  }

  /** @returns whether to send it: `false` if the request has ended */
  recordResponse({ http, source, file, variant, fault, reason, hint }: ServiceResponse): boolean {
    if (this.#isEnded) return false;
    const { record } = this;
    record.http = http;
    record.source = source;
    record.file = file ?? null;
    record.variant = variant ?? null;
    record.fault = fault?.type ?? null;
    const { journals, redactor } = this.service.mock;
    record.setReason(reason, redactor);
    if (hint !== undefined) record.give(hint, redactor);
    journals.requests.note(record);
    return true;
  }

  /**
   * Receives the whole body, for every method and content type, so that the journal has it before the
   * client gets the response. Never resolves if the client leaves first.
   *
   * @param maxLength in bytes, also when decoded, if a handler or a schema reads the whole body
   * @returns the status of the error, if there is one
   */
  receiveBody(maxLength: number | undefined): Promise<400 | 408 | 413 | undefined> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      const maxKept = maxLength ?? MAX_BODY_BYTES;
      let length = 0;
      let isFinished = false;
      const finish = (status?: 400 | 408 | 413): void => {
        if (isFinished) return;
        isFinished = true;
        const body = Buffer.concat(chunks);
        const { encoding } = this;
        if (encoding === undefined || length === 0) this.#keep(body, length);
        else if (status === undefined) resolve(this.#decode(body, encoding, maxKept));
        // Without its end, it cannot be decoded.
        else this.#keep(NO_BODY, Infinity);
        resolve(status);
      };
      this.raw.on('data', (chunk: Buffer) => {
        if (isFinished) return;
        if (length < maxKept) chunks.push(chunk.subarray(0, maxKept - length));
        length += chunk.length;
        if (maxLength !== undefined && length > maxLength) finish(413);
      });
      this.raw.once('end', () => finish());
      // Keep the listener after the end, because a late body can fail long after the response.
      this.raw.on('error', ({ code }: NodeJS.ErrnoException) => {
        // Any other error means that the client left.
        if (code?.startsWith('HPE_')) finish(400);
        if (code === 'ERR_HTTP_REQUEST_TIMEOUT') finish(408);
      });
      this.after(this.service.clientTimeout, () => finish(408));
    });
  }

  /** The encodings of the body, in the order of their use; `undefined` for a plain body. */
  get encoding(): string | undefined {
    const { 'content-encoding': content, 'transfer-encoding': transfer } = this.raw.headers;
    const isPlain = content === undefined && (transfer === undefined || transfer === 'chunked');
    return isPlain ? undefined : `${content ?? ''},${transfer ?? ''}`;
  }

  /** @returns 413 if the body is too long */
  async #decode(body: Buffer, encoding: string, maxLength: number): Promise<413 | undefined> {
    // Loaded for the first such body, not at startup.
    const { decodeContent } = await import('../mock/requests/content-encoding.ts');
    const decoded = await decodeContent(body, encoding, maxLength);
    if (Buffer.isBuffer(decoded)) {
      this.#keep(decoded, decoded.length);
      return undefined;
    }
    this.#keep(NO_BODY, Infinity);
    if (decoded.isTooLong) return 413;
    this.bodyProblem = decoded.message;
    return undefined;
  }

  /** @param length of the whole body, in bytes */
  #keep(body: Buffer, length: number): void {
    this.body = body;
    const bodyCut = length > MAX_BODY_BYTES;
    // A copy, so that the journal does not keep a whole long body in memory.
    const part = bodyCut ? Buffer.from(body.subarray(0, MAX_BODY_BYTES)) : body;
    Object.assign(this.record, { body: part, bodyCut });
    this.service.mock.journals.requests.note(this.record);
  }

  writeHead(status: number, headers: OutgoingHttpHeaders): void {
    this.record.status = status;
    this.record.durationMs = this.#elapsed();
    this.connection?.announceEnd(this.response, headers);
    this.response.writeHead(status, headers);
  }

  /** Calls a function after a time in ms, unless the request has ended by then. */
  after(ms: number, act: () => void): void {
    if (this.#isEnded) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }

  /** Calls a function after a delay in ms, unless the request or the mock ends by then. */
  delay(ms: number, act: () => void): void {
    const { connection, response } = this;
    connection?.hold(response);
    this.after(ms, () => {
      connection?.release(response);
      act();
    });
  }

  /** The account of its key, or all accounts. */
  get accountOrAll(): Account {
    return this.account ?? this.service.mock.all;
  }

  queueWebhooks(webhooks: readonly PreparedWebhook[] = []): void {
    const { webhookQueue } = this.accountOrAll;
    for (const webhook of webhooks) webhookQueue.queue(webhook, this.expectWebhooks());
  }

  /** Creates {@link early} for the first webhook, or for a handler. */
  expectWebhooks(): EarlyWebhooks {
    if (this.early !== undefined) return this.early;
    const { clock, webhookScript } = this.accountOrAll;
    const scripts = [webhookScript, this.service.mock.all.webhookScript];
    this.early = new EarlyWebhooks({ clock, scripts });
    if (this.#isEnded) this.early.leave();
    return this.early;
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const { record, response } = this;
    // A response also finishes if its socket was destroyed before everything was sent.
    const isSent = response.writableFinished && !this.raw.socket.destroyed;
    // A response that is queued behind another one has no socket yet, and nothing of it was sent.
    const isBegun = isSent || (response.headersSent && response.socket !== null);
    if (!isBegun) record.status = null;
    record.durationMs = this.#elapsed();
    record.aborted = !isSent && (record.fault === null || !FAULTS[record.fault].isCut);
    const { mock, logger } = this.service;
    mock.journals.requests.end(record);
    logRequest(logger, record);
    this.early?.leave();
    this.#releaseSecrets();
  }

  #elapsed(): number {
    return Math.round((monotonicTime() - this.#began) * 10) / 10;
  }
}

/**
 * The headers of a request, with a list for a repeated one. Equal headers of the previous request on the
 * connection are the same object: a copy for each request would cost a tenth of its CPU.
 */
export function receivedHeaders({
  socket,
  rawHeaders,
  headers: joined,
}: IncomingMessage): RequestHeaders {
  const connection: ClientSocket = socket;
  const { latest } = connection;
  const isSame =
    latest?.raw.length === rawHeaders.length &&
    latest.raw.every((text, at) => text === rawHeaders[at]);
  if (isSame) return latest.headers;
  const isRepeated = Object.keys(joined).length < rawHeaders.length / 2;
  const headers = isRepeated ? distinctHeaders(rawHeaders) : (joined as RequestHeaders);
  connection.latest = { raw: rawHeaders, headers };
  return headers;
}

/** Node joins repeated headers, or drops all but the first; `headersDistinct` loses `__proto__`. */
function distinctHeaders(raw: readonly string[]): RequestHeaders {
  const names = raw.filter((_, at) => at % 2 === 0);
  return fieldsOf(names.map((name, at) => [name.toLowerCase(), `${raw[2 * at + 1]}`]));
}
