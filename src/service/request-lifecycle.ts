import type { FastifyReply } from 'fastify';
import { readThrown } from '../errors.ts';
import { type Logger, logBug, logRequest } from '../logger.ts';
import type { Decision } from '../mock/decide.ts';
import type { Journal } from '../mock/journal/journal.ts';
import { isShared, type JournalRecord } from '../mock/journal/journal-record.ts';
import type { Operation } from '../mock/operation.ts';
import type { Reason } from '../mock/reason.ts';
import type { RequestTarget } from '../mock/request-target.ts';
import { clearTimeout, monotonicTime, setTimeout } from '../timers.ts';

/** The faults with which the mock itself closes the connection. */
const CUTTING: readonly (string | null)[] = ['reset', 'close', 'truncate'];

/** The data of a request when it arrives. */
export interface Arrival {
  readonly reply: FastifyReply;
  readonly record: JournalRecord;
  /** The parsed request target; `undefined` if it is invalid. */
  readonly target: RequestTarget | undefined;
  /** The operation with its path and method, if there is one. */
  readonly operation: Operation | undefined;
  readonly journal: Journal;
  readonly logger: Logger;
}

/**
 * One request from its arrival to its end. Its response is decided exactly once. It ends exactly
 * once, when the response is closed: then the timers are cleared, the journal record contains what
 * was really sent, and the request is logged.
 */
export class RequestLifecycle {
  /** The journal record of the request. */
  readonly record: JournalRecord;
  readonly target: RequestTarget | undefined;
  readonly operation: Operation | undefined;
  /** The whole body of the request, for handlers. */
  body: Buffer = Buffer.alloc(0);
  readonly #reply: FastifyReply;
  readonly #journal: Journal;
  readonly #logger: Logger;
  readonly #began = monotonicTime();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isDecided = false;
  /** Whether the whole response was passed to the operating system. */
  #isSent = false;
  #isEnded = false;
  /** Resolves when the request has ended. Made when it is asked for. */
  #ended: Promise<void> | undefined;
  #onEnd: () => void = () => {};

  constructor({ reply, record, target, operation, journal, logger }: Arrival) {
    this.#reply = reply;
    this.record = record;
    this.target = target;
    this.operation = operation;
    this.#journal = journal;
    this.#logger = logger;
    const { socket } = reply.request.raw;
    // A response also finishes if its socket was destroyed before everything was sent.
    reply.raw.once('finish', () => {
      this.#isSent = !socket.destroyed;
    });
    reply.raw.once('close', () => this.#end());
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
    // Measures the record again only if its size has changed.
    if (isShared(record)) this.#journal.changed(record);
    else this.#journal.note(record, {});
    return true;
  }

  /**
   * Records the body of the request.
   *
   * @param isCut whether the body was longer than what is kept
   */
  received(body: Buffer, isCut: boolean): void {
    this.#journal.note(this.record, { body, bodyCut: isCut });
  }

  /** Records that an error response replaces the decided one because of a bug. */
  failed(): void {
    this.#isDecided = true;
    Object.assign(this.record, { source: 'error', file: null, variant: null, fault: null });
  }

  /** Records that sending a response with a status begins. */
  sending(status: number): void {
    this.record.status = status;
    this.record.durationMs = this.#elapsed();
    this.#journal.changed(this.record);
  }

  /** Calls a function after a time in ms, unless the request has ended by then. */
  after(ms: number, act: () => void): void {
    if (this.#isEnded) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      try {
        act();
      } catch (error) {
        this.fail(error);
      }
    }, ms);
    this.#timers.add(timer);
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

  /** Ends a request whose response cannot be sent because of a bug, with a 500 if possible. */
  fail(error: unknown): void {
    const { raw } = this.#reply;
    if (this.#reply.sent || raw.headersSent) {
      logBug(this.#logger, error, 'Failed to answer a request: a bug in momo-mock');
      raw.destroy();
    } else {
      // Fastify would send a text as a 200, and read any field of an error.
      const { name, at } = readThrown(error);
      const stack = at.map((line) => `\n    ${line}`).join('');
      this.#reply.send(Object.assign(new Error(), { name, stack }));
    }
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const { record } = this;
    const { raw } = this.#reply;
    // A response that is queued behind another one has no socket yet, and nothing of it was sent.
    const isBegun = this.#isSent || (raw.headersSent && raw.socket !== null);
    if (!isBegun) record.status = null;
    record.durationMs = this.#elapsed();
    record.aborted = !this.#isSent && !CUTTING.includes(record.fault);
    this.#journal.ended(record);
    logRequest(this.#logger, record);
    this.#onEnd();
  }

  #elapsed(): number {
    return Math.round((monotonicTime() - this.#began) * 10) / 10;
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the journal plugin, for every request. */
    lifecycle: RequestLifecycle;
  }
}
