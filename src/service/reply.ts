import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Answer, type ErrorAnswers, errorAnswer } from '../mock/answer.ts';
import type { Decision } from '../mock/decide.ts';
import type { Reason } from '../mock/reason.ts';
import { injectFault, isSilent, writeWhole } from './faults.ts';

/** What a reply needs of the sockets below it. */
export interface ReplySockets {
  /** Resets a connection (TCP RST). */
  reset(socket: Socket): void;
  /** Leaves the requests of a connection without a response. */
  abandon(socket: Socket): void;
  /** Limits the time that a client may take to receive a response that was ended. */
  awaitDelivery(response: ServerResponse): void;
}

/** What the replies of an application have in common. */
export interface ResponderOptions {
  readonly errors: ErrorAnswers;
  readonly sockets: ReplySockets;
  /** Headers that every response to a request carries, over those of the answer. */
  readonly headersFor: (request: FastifyRequest) => OutgoingHttpHeaders;
}

/** Answers the requests of an application. */
export class Responder {
  readonly #options: ResponderOptions;

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /**
   * Answers a request as it was decided: after its delay, and broken by its fault where it has one.
   * Does nothing where the request was answered before, or has ended.
   *
   * @param reason why the request is rejected, for the journal
   */
  respond(reply: FastifyReply, decision: Decision, reason?: Reason): void {
    const { lifecycle } = reply.request;
    if (!lifecycle.decided(decision, reason)) return;
    const { delay = 0 } = decision;
    if (delay === 0) this.#deliver(reply, decision);
    else lifecycle.after(delay, () => this.#deliver(reply, decision));
  }

  /** Rejects a request with the answer of `errors/<status>`. */
  reject(reply: FastifyReply, status: number, reason: Reason, more: Answer['headers'] = {}): void {
    const { headers, body } = errorAnswer(this.#options.errors, status);
    this.respond(
      reply,
      { answer: { status, headers: { ...headers, ...more }, body }, source: 'error' },
      reason,
    );
  }

  /** Sends an answer whole. */
  send(reply: FastifyReply, answer: Answer): void {
    const { status, headers, body } = answer;
    reply.request.lifecycle.sending(status);
    if (body.length > 0 && headers['content-type'] === undefined) {
      // Fastify would call it an octet-stream.
      reply.hijack();
      writeWhole(reply.raw, status, this.#headersOf(reply, answer), body);
    } else {
      reply
        .code(status)
        .headers(headers as OutgoingHttpHeaders)
        .headers(this.#options.headersFor(reply.request));
      // 204 and 304 have no length.
      if (status !== 204 && status !== 304) reply.header('content-length', body.length);
      reply.send(body.length === 0 ? undefined : body);
    }
    this.#options.sockets.awaitDelivery(reply.raw);
  }

  #deliver(reply: FastifyReply, { answer, fault }: Decision): void {
    if (fault === undefined) {
      this.send(reply, answer);
      return;
    }
    if (!isSilent(fault)) reply.request.lifecycle.sending(answer.status);
    reply.hijack();
    const headers = this.#headersOf(reply, answer);
    injectFault(fault, { reply, answer, headers, sockets: this.#options.sockets });
  }

  #headersOf(reply: FastifyReply, { headers }: Answer): OutgoingHttpHeaders {
    const own = headers as OutgoingHttpHeaders;
    return { ...own, ...this.#options.headersFor(reply.request) };
  }
}
