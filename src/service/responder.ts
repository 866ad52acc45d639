import type { OutgoingHttpHeaders } from 'node:http';
import { type Answer, type ErrorAnswers, errorAnswer, withHeaders } from '../mock/answer.ts';
import type { Decision } from '../mock/decide.ts';
import type { Reason } from '../mock/reason.ts';
import type { RequestViolation } from '../mock/request-schema.ts';
import { type CorsOrigin, corsHeaders } from './cors.ts';
import { type FaultySockets, injectFault, isSilent, lengthOf } from './faults.ts';
import type { HandlerRunner } from './handler-runner.ts';
import type { ServiceRequest } from './service-request.ts';

/** The options for all responses of an application. */
export interface ResponderOptions {
  readonly errors: ErrorAnswers;
  /** The handlers of errors. */
  readonly handlers: Pick<HandlerRunner, 'hasError' | 'error'>;
  readonly sockets: FaultySockets;
  readonly corsOrigin: CorsOrigin;
  /** Ends a request whose response cannot be sent because of a bug. */
  readonly fail: (request: ServiceRequest, error: unknown) => void;
}

/** Sends the responses of an application. */
export class Responder {
  readonly #options: ResponderOptions;
  /** The headers of responses, which are the same for all requests that do not come from pages. */
  readonly #headers = new WeakMap<Answer, OutgoingHttpHeaders>();

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
    request: ServiceRequest,
    decision: Decision,
    reason?: Reason,
    problems: readonly RequestViolation[] = [],
  ): void {
    const { handlers, fail } = this.#options;
    const { answer, isError } = decision;
    if (!isError || !handlers.hasError(answer.status)) {
      this.#respond(request, decision, reason);
      return;
    }
    handlers
      .error(request, answer.status, reason ?? null, problems)
      .then((made) => {
        this.#respond(request, { ...decision, answer: withHeaders(made, answer.headers) }, reason);
      })
      .catch((error) => fail(request, error));
  }

  #respond(request: ServiceRequest, decision: Decision, reason?: Reason): void {
    if (!request.decided(decision, reason)) return;
    const { delay = 0 } = decision;
    if (delay === 0) this.#deliver(request, decision);
    else request.after(delay, () => this.#deliver(request, decision));
  }

  /**
   * Rejects a request with the response of `errors/<status>`.
   *
   * @param more additional headers
   * @param problems what violates the request schema
   */
  reject(
    request: ServiceRequest,
    status: number,
    reason: Reason,
    more?: Answer['headers'],
    problems: readonly RequestViolation[] = [],
  ): void {
    const error = errorAnswer(this.#options.errors, status);
    const answer = more === undefined ? error : withHeaders(error, more);
    this.respond(request, { answer, source: 'error', isError: true }, reason, problems);
  }

  /** Sends a response without a fault. */
  send(request: ServiceRequest, answer: Answer): void {
    const { response } = request;
    request.sending(answer.status);
    response.writeHead(answer.status, this.#headersOf(request, answer));
    response.end(answer.body);
  }

  #deliver(request: ServiceRequest, { answer, fault }: Decision): void {
    if (fault === undefined) {
      this.send(request, answer);
      return;
    }
    if (!isSilent(fault)) request.sending(answer.status);
    const headers = this.#headersOf(request, answer);
    injectFault(fault, { request, answer, headers, sockets: this.#options.sockets });
  }

  /** All headers of a response. Those of CORS replace its own. */
  #headersOf({ raw }: ServiceRequest, answer: Answer): OutgoingHttpHeaders {
    const { corsOrigin } = this.#options;
    const known = this.#headers.get(answer);
    if (known !== undefined) return known;
    const own = answer.headers as OutgoingHttpHeaders;
    const { status, body } = answer;
    const all = { ...own, ...corsHeaders(corsOrigin, raw.headers), ...lengthOf(status, body) };
    if (typeof corsOrigin === 'string') this.#headers.set(answer, all);
    return all;
  }
}
