import type { FastifyReply } from 'fastify';
import { type Logger, logBug, logRequest } from '../logger.ts';
import type { Decision } from '../mock/decide.ts';
import type { Journal } from '../mock/journal.ts';
import type { JournalRecord } from '../mock/journal-record.ts';
import type { Operation } from '../mock/operation.ts';
import type { Reason } from '../mock/reason.ts';
import type { RequestTarget } from '../mock/request-target.ts';
import { clearTimeout, monotonicTime, setTimeout } from '../timers.ts';

/** Faults by which the mock itself cuts the connection. */
const CUTTING: readonly (string | null)[] = ['reset', 'close', 'truncate'];

/** What is known of a request when it arrives. */
export interface Arrival {
  readonly reply: FastifyReply;
  readonly record: JournalRecord;
  /** What it asks for; absent where that cannot be understood. */
  readonly target: RequestTarget | undefined;
  /** The operation at its path and method, if any. */
  readonly operation: Operation | undefined;
  readonly journal: Journal;
  readonly logger: Logger;
}

/**
 * The life of one request, from its arrival to its end. Its answer is decided once, whatever arrives
 * afterwards; it ends once, when its response is closed. At its end its timers are gone, its journal
 * record says what was really sent, and it is in the log.
 */
export class RequestLifecycle {
  /** What the journal keeps of the request. */
  readonly record: JournalRecord;
  readonly target: RequestTarget | undefined;
  readonly operation: Operation | undefined;
  readonly #reply: FastifyReply;
  readonly #journal: Journal;
  readonly #logger: Logger;
  readonly #began = monotonicTime();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isDecided = false;
  /** The whole response was handed to the system. */
  #isSent = false;
  #isEnded = false;

  constructor({ reply, record, target, operation, journal, logger }: Arrival) {
    this.#reply = reply;
    this.record = record;
    this.target = target;
    this.operation = operation;
    this.#journal = journal;
    this.#logger = logger;
    const { socket } = reply.request.raw;
    // A response whose socket was destroyed finishes as well, with what was not sent yet.
    reply.raw.once('finish', () => {
      this.#isSent = !socket.destroyed;
    });
    reply.raw.once('close', () => this.#end());
  }

  /**
   * Writes down what is decided.
   *
   * @returns whether to carry it out: `false` where the answer was decided before, or the request
   *   has ended
   */
  decided({ source, file, variant, fault }: Decision, reason?: Reason): boolean {
    if (this.#isDecided || this.#isEnded) return false;
    this.#isDecided = true;
    const { record } = this;
    record.source = source;
    record.file = file ?? null;
    record.variant = variant ?? null;
    record.fault = fault?.type ?? null;
    record.reason = reason ?? null;
    this.#journal.changed(record);
    return true;
  }

  /**
   * Writes down the body that was received.
   *
   * @param isCut whether more of it came than is kept
   */
  received(body: Buffer, isCut: boolean): void {
    this.#journal.note(this.record, { body, bodyCut: isCut });
  }

  /** Writes down that a bug is answered instead of what was decided. */
  failed(): void {
    this.#isDecided = true;
    Object.assign(this.record, { source: 'error', file: null, variant: null, fault: null });
  }

  /** Writes down that a response with a status begins to be sent. */
  sending(status: number): void {
    this.record.status = status;
    this.record.durationMs = this.#elapsed();
    this.#journal.changed(this.record);
  }

  /** Acts after a time in ms, unless the request has ended by then. */
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

  /** Ends a request whose answer cannot be sent because of a bug: with a 500 where that is possible. */
  fail(error: unknown): void {
    const { raw } = this.#reply;
    if (this.#reply.sent || raw.headersSent) {
      logBug(this.#logger, error, 'Failed to answer a request: a bug in momo-mock');
      raw.destroy();
    } else this.#reply.send(error);
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const { record } = this;
    const { raw } = this.#reply;
    // A response that is queued behind another one has no socket yet: nothing of it was sent.
    const isBegun = this.#isSent || (raw.headersSent && raw.socket !== null);
    if (!isBegun) record.status = null;
    record.durationMs = this.#elapsed();
    record.aborted = !this.#isSent && !CUTTING.includes(record.fault);
    this.#journal.ended(record);
    logRequest(this.#logger, record);
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
