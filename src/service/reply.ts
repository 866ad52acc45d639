import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Answer, type ErrorAnswers, errorAnswer, withHeaders } from '../mock/answer.ts';
import type { Decision } from '../mock/decide.ts';
import type { Reason } from '../mock/reason.ts';
import type { RequestViolation } from '../mock/request-schema.ts';
import { injectFault, isSilent, writeWhole } from './faults.ts';
import type { HandlerRunner } from './handler-runner.ts';

/** The functions for sockets that replies need. */
export interface ReplySockets {
  /** Resets a connection (TCP RST). */
  reset(socket: Socket): void;
  /** Marks the requests of a connection as never getting a response. */
  abandon(socket: Socket): void;
  /** Limits the time that a client may take to receive the rest of an ended response. */
  awaitDelivery(response: ServerResponse): void;
}

/** The options for all replies of an application. */
export interface ResponderOptions {
  readonly errors: ErrorAnswers;
  /** The handlers of errors. */
  readonly handlers: Pick<HandlerRunner, 'hasError' | 'error'>;
  readonly sockets: ReplySockets;
  /** The headers to add to every response. They replace those of the decided response. */
  readonly headersFor: (request: FastifyRequest) => OutgoingHttpHeaders;
}

/** Sends the responses of an application. */
export class Responder {
  readonly #options: ResponderOptions;

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /**
   * Sends the decided response after its delay, and breaks it if there is a fault. The handler
   * `errors/<status>.js` makes the body of an error, if there is one. Does nothing if another response
   * was decided before, or if the request has ended.
   *
   * @param reason the reason for a rejection, for the journal
   * @param problems what violates the request schema
   */
  respond(
    reply: FastifyReply,
    decision: Decision,
    reason?: Reason,
    problems: readonly RequestViolation[] = [],
  ): void {
    const { handlers } = this.#options;
    const { answer, isError } = decision;
    if (!isError || !handlers.hasError(answer.status)) {
      this.#respond(reply, decision, reason);
      return;
    }
    const { request } = reply;
    handlers
      .error(request, answer.status, reason ?? null, problems)
      .then((made) => {
        this.#respond(reply, { ...decision, answer: withHeaders(made, answer.headers) }, reason);
      })
      .catch((error) => request.lifecycle.fail(error));
  }

  #respond(reply: FastifyReply, decision: Decision, reason?: Reason): void {
    const { lifecycle } = reply.request;
    if (!lifecycle.decided(decision, reason)) return;
    const { delay = 0 } = decision;
    if (delay === 0) this.#deliver(reply, decision);
    else lifecycle.after(delay, () => this.#deliver(reply, decision));
  }

  /**
   * Rejects a request with the response of `errors/<status>`.
   *
   * @param more additional headers
   * @param problems what violates the request schema
   */
  reject(
    reply: FastifyReply,
    status: number,
    reason: Reason,
    more: Answer['headers'] = {},
    problems: readonly RequestViolation[] = [],
  ): void {
    const answer = withHeaders(errorAnswer(this.#options.errors, status), more);
    const decision = { answer, source: 'error', isError: true } as const;
    this.respond(reply, decision, reason, problems);
  }

  /** Sends a response without a fault. */
  send(reply: FastifyReply, answer: Answer): void {
    const { status, headers, body } = answer;
    reply.request.lifecycle.sending(status);
    if (body.length > 0 && headers['content-type'] === undefined) {
      // Fastify would add a content-type.
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
