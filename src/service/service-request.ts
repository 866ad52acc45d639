import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Logger, logRequest } from '../logger.ts';
import type { Decision } from '../mock/decide.ts';
import type { JournalRecord } from '../mock/journal/journal-record.ts';
import { isShared } from '../mock/journal/journal-record.ts';
import type { Mock } from '../mock/mock.ts';
import type { Operation } from '../mock/operation.ts';
import type { Reason } from '../mock/reason.ts';
import { parseTarget, type RequestTarget } from '../mock/request-target.ts';
import type { Account } from '../mock/store/store.ts';
import { clearTimeout, monotonicTime, setTimeout } from '../timers.ts';

/** The faults with which the mock itself closes the connection. */
const CUTTING: readonly (string | null)[] = ['reset', 'close', 'truncate'];
const NO_BODY = Buffer.alloc(0);

/** What the requests of an application share. */
export interface RequestSurroundings {
  readonly mock: Mock;
  readonly logger: Logger;
  readonly sockets: {
    /** The TLS mode when a connection was made. */
    tlsMode(socket: Socket): string;
  };
  /** Ends a request whose response cannot be sent because of a bug. */
  readonly fail: (request: ServiceRequest, error: unknown) => void;
}

/**
 * One request from its arrival to its end. Its response is decided exactly once. It ends exactly
 * once, when the response is closed: then the timers are cleared, the journal record contains what
 * was really sent, and the request is logged.
 */
export class ServiceRequest {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  /** The journal record of the request. */
  readonly record: JournalRecord;
  /** The parsed request target; `undefined` if it is invalid. */
  readonly target: RequestTarget | undefined;
  /** The operation with its path and method, if there is one. */
  readonly operation: Operation | undefined;
  /** The account of its key; `undefined` before the key check. */
  account: Account | undefined;
  /** The whole body, for handlers. */
  body: Buffer = NO_BODY;
  readonly #surroundings: RequestSurroundings;
  readonly #began = monotonicTime();
  #timers: Set<NodeJS.Timeout> | undefined;
  #isDecided = false;
  #isEnded = false;
  /** Resolves when the request has ended. Made when it is asked for. */
  #ended: Promise<void> | undefined;
  #onEnd: (() => void) | undefined;

  constructor(
    raw: IncomingMessage,
    response: ServerResponse,
    operation: Operation | undefined,
    surroundings: RequestSurroundings,
  ) {
    const { mock, sockets } = surroundings;
    const target = targets.get(raw);
    this.raw = raw;
    this.response = response;
    this.operation = operation;
    this.target = target;
    this.account = undefined;
    this.#surroundings = surroundings;
    this.record = mock.journal.open({
      method: raw.method ?? null,
      headers: headersOf(raw),
      tls: sockets.tlsMode(raw.socket),
      target: target?.text ?? null,
      operation: operation?.name ?? null,
      path: operation?.template ?? (target && mock.loggablePath(target.segments)) ?? null,
    });
    response.on('close', () => this.#end());
  }

  /**
   * Records the decision.
   *
   * @returns whether to send the response: `false` if another one was decided before, or if the
   *   request has ended
   */
  decided({ answer, source, file, variant, fault }: Decision, reason?: Reason): boolean {
    if (this.#isDecided || this.#isEnded) return false;
    this.#isDecided = true;
    const { record } = this;
    record.answer = answer;
    record.source = source;
    record.file = file ?? null;
    record.variant = variant ?? null;
    record.fault = fault?.type ?? null;
    record.reason = reason ?? null;
    const { journal } = this.#surroundings.mock;
    // Measures the record again only if its size has changed.
    if (isShared(record)) journal.changed(record);
    else journal.note(record, {});
    return true;
  }

  /**
   * Records the body of the request.
   *
   * @param isCut whether the body was longer than what is kept
   */
  received(body: Buffer, isCut: boolean): void {
    this.#surroundings.mock.journal.note(this.record, { body, bodyCut: isCut });
  }

  /** Records that sending a response with a status begins. */
  sending(status: number): void {
    this.record.status = status;
    this.record.durationMs = this.#elapsed();
  }

  /** Calls a function after a time in ms, unless the request has ended by then. */
  after(ms: number, act: () => void): void {
    if (this.#isEnded) return;
    this.#timers ??= new Set();
    const timers = this.#timers;
    const timer = setTimeout(() => {
      timers.delete(timer);
      try {
        act();
      } catch (error) {
        this.#surroundings.fail(this, error);
      }
    }, ms);
    timers.add(timer);
  }

  /** Resolves when the request has ended. */
  get ended(): Promise<void> {
    this.#ended ??= this.#isEnded
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#onEnd = resolve;
        });
    return this.#ended;
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
    record.aborted = !isSent && !CUTTING.includes(record.fault);
    const { mock, logger } = this.#surroundings;
    mock.journal.ended(record);
    logRequest(logger, record);
    this.#onEnd?.();
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
  if (latest !== undefined && isSame(latest.raw, rawHeaders)) return latest.parsed;
  latestHeaders.set(socket, { raw: rawHeaders, parsed: headers });
  return headers;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}
