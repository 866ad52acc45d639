import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { type Logger, logRequest } from '../logger.ts';
import type { Answer } from '../mock/answer.ts';
import type { Decision } from '../mock/decide.ts';
import { FAULTS } from '../mock/faults.ts';
import { newRequest, type RequestRecord } from '../mock/journal/record.ts';
import { LONGEST_BODY } from '../mock/limits.ts';
import type { Mock } from '../mock/mock.ts';
import type { FixtureTree, Operation } from '../mock/operation.ts';
import type { Reason } from '../mock/reason.ts';
import type { RequestViolation } from '../mock/request-schema.ts';
import { parseTarget, type RequestTarget } from '../mock/request-target.ts';
import type { Account } from '../mock/store/store.ts';
import { clearTimeout, monotonicTime, setTimeout } from '../timers.ts';
import type { CorsOrigin } from './cors.ts';
import type { HttpsServer } from './https-server.ts';

/** What the requests of an application share. */
export interface Service {
  readonly mock: Mock;
  /** The fixture tree that the application serves. */
  readonly tree: FixtureTree;
  readonly corsOrigin: CorsOrigin;
  /** How long the body of a request, or a handler, may take, in ms. */
  readonly clientTimeout: number;
  readonly logger: Logger;
  readonly https: HttpsServer;
  /** All headers of the responses that are the same for all clients. */
  readonly headers: WeakMap<Answer, OutgoingHttpHeaders>;
  /** The methods of the operations at a path. */
  readonly methodsAt: (url: string) => readonly string[];
}

/** A decision, and what is known of an error. */
export interface Reply extends Decision {
  /** The reason for a rejection, for the journal. */
  readonly reason?: Reason;
  /** What violates the request schema, for the handler of the error. */
  readonly problems?: readonly RequestViolation[];
}

const NO_BODY = Buffer.alloc(0);

/**
 * One request from its arrival to its end. Its response is decided exactly once. It ends exactly
 * once, when the response is closed: then the timers are cleared, the journal record contains what
 * was really sent, and the request is logged.
 */
export class ServiceRequest {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly service: Service;
  /** The journal record of the request. */
  readonly record: RequestRecord;
  /** The parsed request target; `undefined` if it is invalid. */
  readonly target: RequestTarget | undefined;
  /** The operation with its path and method, if there is one. */
  readonly operation: Operation | undefined;
  /** The account of its key; `undefined` before the key check. */
  account: Account | undefined;
  /** The whole body, for handlers. */
  body: Buffer = NO_BODY;
  readonly #began = monotonicTime();
  #timers: Set<NodeJS.Timeout> | undefined;
  #isDecided = false;
  #isEnded = false;
  #left: Promise<void> | undefined;
  #hasLeft = false;
  #onLeft = () => {};

  constructor(
    raw: IncomingMessage,
    response: ServerResponse,
    service: Service,
    operation?: Operation,
  ) {
    const { mock, https } = service;
    const target = targets.get(raw);
    this.raw = raw;
    this.response = response;
    this.service = service;
    this.operation = operation;
    this.target = target;
    this.account = undefined;
    this.record = newRequest({
      method: raw.method ?? null,
      headers: headersOf(raw),
      tls: https.tlsMode(raw.socket),
      target: target?.text ?? null,
      operation: operation?.name ?? null,
      path: operation?.template ?? (target && mock.loggablePath(target.segments)) ?? null,
    });
    mock.store.begin(this.record);
    response.on('close', () => this.#end());
  }

  /**
   * Records the decision.
   *
   * @returns whether to send the response: `false` if another one was decided before, or if the
   *   request has ended
   */
  decided({ answer, source, file, variant, fault, reason }: Reply): boolean {
    if (this.#isDecided || this.#isEnded) return false;
    this.#isDecided = true;
    const { record } = this;
    record.answer = answer;
    record.source = source;
    record.file = file ?? null;
    record.variant = variant ?? null;
    record.fault = fault?.type ?? null;
    record.reason = reason ?? null;
    this.service.mock.store.note(record);
    return true;
  }

  /**
   * Receives the whole body, whatever its method and type, so that the journal has it before the
   * client gets the response.
   *
   * @param longest its maximum length in bytes if all of it is kept; `undefined` if nobody reads it
   * @param finish called once, unless the client leaves first: without a status when the whole body
   *   has arrived, with 408 if it takes too long, with 413 if it is too long, with 400 if it is not
   *   valid HTTP
   */
  receiveBody(longest: number | undefined, finish: (status?: 400 | 408 | 413) => void): void {
    const kept: Buffer[] = [];
    const most = longest ?? LONGEST_BODY;
    let length = 0;
    let isFinished = false;
    const conclude = (status?: 400 | 408 | 413): void => {
      if (isFinished) return;
      isFinished = true;
      const body = Buffer.concat(kept);
      const bodyCut = length > LONGEST_BODY;
      this.body = body;
      // The journal must not hold the whole of a long body.
      const part = bodyCut ? Buffer.from(body.subarray(0, LONGEST_BODY)) : body;
      Object.assign(this.record, { body: part, bodyCut });
      this.service.mock.store.note(this.record);
      finish(status);
    };
    this.raw.on('data', (chunk: Buffer) => {
      if (isFinished) return;
      if (length < most) kept.push(chunk.subarray(0, most - length));
      length += chunk.length;
      if (longest !== undefined && length > longest) conclude(413);
    });
    this.raw.once('end', () => conclude());
    // Keep the listener after the end, because a late body can fail long after the response.
    this.raw.on('error', ({ code }: NodeJS.ErrnoException) => {
      // Any other error means that the client left.
      if (code?.startsWith('HPE_')) conclude(400);
      if (code === 'ERR_HTTP_REQUEST_TIMEOUT') conclude(408);
    });
    this.after(this.service.clientTimeout, () => conclude(408));
  }

  /** Sends the status and the headers. */
  writeHead(status: number, headers: OutgoingHttpHeaders): void {
    this.record.status = status;
    this.record.durationMs = this.#elapsed();
    this.response.writeHead(status, headers);
  }

  /** Calls a function after a time in ms, unless the request has ended by then. */
  after(ms: number, act: () => void): void {
    if (this.#isEnded) return;
    this.#timers ??= new Set();
    const timers = this.#timers;
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, ms);
    timers.add(timer);
  }

  /** Keeps the client waiting for a time in ms, unless the request or the mock ends by then. */
  delay(ms: number, act: () => void): void {
    const { https } = this.service;
    https.hold(this.response);
    this.after(ms, () => {
      https.release(this.response);
      act();
    });
  }

  /** Resolves when the response has left, or when nothing more of it will be sent. */
  get left(): Promise<void> {
    this.#left ??= new Promise((resolve) => {
      if (this.#hasLeft) resolve();
      else this.#onLeft = resolve;
    });
    return this.#left;
  }

  /** Says that the response has left, or that nothing more of it will be sent. */
  leave(): void {
    this.#hasLeft = true;
    this.#onLeft();
  }

  /** Records that an error response replaces the decided one because of a bug. */
  failed(): void {
    this.#isDecided = true;
    Object.assign(this.record, { source: 'error', file: null, variant: null, fault: null });
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#timers !== undefined) for (const timer of this.#timers) clearTimeout(timer);
    const { record, response } = this;
    // A response also finishes if its socket was destroyed before everything was sent.
    const isSent = response.writableFinished && !this.raw.socket.destroyed;
    // A response that is queued behind another one has no socket yet, and nothing of it was sent.
    const isBegun = isSent || (response.headersSent && response.socket !== null);
    if (!isBegun) record.status = null;
    record.durationMs = this.#elapsed();
    record.aborted = !isSent && (record.fault === null || !FAULTS[record.fault].isCut);
    const { mock, logger } = this.service;
    mock.store.end(record);
    logRequest(logger, record);
    this.leave();
  }

  #elapsed(): number {
    return Math.round((monotonicTime() - this.#began) * 10) / 10;
  }
}

/** The parsed target of each request, which is set when it is routed. */
const targets = new WeakMap<object, RequestTarget>();

/** Parses the target of a request; `undefined` if it is invalid. */
export function readTarget(request: IncomingMessage): RequestTarget | undefined {
  const target = parseTarget(request.url ?? '');
  if (target !== undefined) targets.set(request, target);
  return target;
}

/** The headers of the last request on each connection. */
const latestHeaders = new WeakMap<
  Socket,
  { raw: readonly string[]; parsed: IncomingHttpHeaders }
>();

/**
 * The headers of a request. If they equal those of the previous request on the connection, its
 * object is returned, so that the journal does not keep thousands of copies.
 */
function headersOf({ socket, rawHeaders, headers }: IncomingMessage): IncomingHttpHeaders {
  const latest = latestHeaders.get(socket);
  const isSame =
    latest?.raw.length === rawHeaders.length &&
    latest.raw.every((text, at) => text === rawHeaders[at]);
  if (isSame) return latest.parsed;
  latestHeaders.set(socket, { raw: rawHeaders, parsed: headers });
  return headers;
}
