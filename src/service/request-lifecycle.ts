import type { IncomingMessage, ServerResponse } from 'node:http';
import { logBug } from '../logger.ts';
import { errorAnswer } from '../mock/answer.ts';
import { readKey } from '../mock/api-key.ts';
import { decide } from '../mock/decide.ts';
import { isNamedIn } from '../mock/given-body.ts';
import type { HandlerRequest } from '../mock/handler.ts';
import type { Mock } from '../mock/mock.ts';
import type { FixtureTree, Operation } from '../mock/operation.ts';
import type { Reason } from '../mock/reason.ts';
import type { RequestViolation } from '../mock/request-schema.ts';
import type { Decided } from '../mock/store/store.ts';
import { type CorsOrigin, isPreflight, preflightHeaders } from './cors.ts';
import type { FaultySockets } from './faults.ts';
import { exceededLimit } from './handler-request.ts';
import { HandlerRunner } from './handler-runner.ts';
import { announcesBody, receiveBody } from './request-body.ts';
import { Responder } from './responder.ts';
import { type RequestSurroundings, ServiceRequest } from './service-request.ts';

/** What the requests of an application need. */
export interface LifecycleOptions extends Omit<RequestSurroundings, 'fail' | 'sockets'> {
  /** The fixture tree that the application serves. */
  readonly tree: FixtureTree;
  readonly corsOrigin: CorsOrigin;
  /** How long the body of a request, or a handler, may take, in ms. */
  readonly clientTimeout: number;
  readonly sockets: FaultySockets & RequestSurroundings['sockets'];
}

/** What the check of a request has found. */
interface Checked {
  readonly problems: readonly RequestViolation[];
  /** The places of the problems, for the journal. */
  readonly detail: string;
  /** The request as handlers get it, if the check has made it. */
  readonly own?: HandlerRequest;
}

const ACCEPTED: Checked = { problems: [], detail: '' };
const CLOSE = { connection: 'close' };

/** The way of each request: it arrives, its body, its key, the decision, the response. */
export class RequestLifecycle {
  readonly #options: LifecycleOptions;
  readonly #surroundings: RequestSurroundings;
  readonly #handlers: HandlerRunner;
  readonly #responder: Responder;

  constructor(options: LifecycleOptions) {
    const { mock, tree, clientTimeout: timeout, logger, sockets, corsOrigin } = options;
    const fail = (request: ServiceRequest, error: unknown) => this.fail(request, error);
    this.#options = options;
    this.#surroundings = { mock, logger, sockets, fail };
    this.#handlers = new HandlerRunner({ mock, tree, timeout, logger });
    const { errors } = tree;
    this.#responder = new Responder({
      errors,
      handlers: this.#handlers,
      sockets,
      corsOrigin,
      fail,
    });
  }

  /**
   * Begins the lifecycle of a request: its journal record is open.
   *
   * @param operation the operation with its path and method, if there is one
   */
  begin(raw: IncomingMessage, response: ServerResponse, operation?: Operation): ServiceRequest {
    return new ServiceRequest(raw, response, operation, this.#surroundings);
  }

  /**
   * Answers a request. Stated: without a valid key, the response is 401, even for an unknown path.
   *
   * @param unknown answers a request with a valid key that no operation answers
   */
  serve(request: ServiceRequest, unknown?: (request: ServiceRequest) => void): void {
    const { raw } = request;
    const { headers } = raw;
    const { corsOrigin, clientTimeout } = this.#options;
    if (corsOrigin !== 'off' && isPreflight(raw.method, headers)) {
      this.#answerPreflight(request, corsOrigin);
      return;
    }
    // HTTP itself requires the host header in HTTP/1.1.
    if (headers.host === undefined && raw.httpVersion === '1.1') {
      // Close the connection, because it is unclear where the next request begins.
      this.#responder.reject(request, 400, 'bad-request', CLOSE);
      return;
    }
    if (!announcesBody(headers)) {
      this.#checkKey(request, unknown);
      return;
    }
    const longest = this.#handlers.longestBody(request.operation) ?? Infinity;
    receiveBody(request, { timeout: clientTimeout, longest }, (status) => {
      this.#guarded(request, () => {
        if (status === undefined) this.#checkKey(request, unknown);
        else this.#rejectBody(request, status, longest);
      });
    });
  }

  /** Rejects a request with the response of `errors/<status>`. */
  reject(
    request: ServiceRequest,
    status: number,
    reason: Reason,
    headers?: Record<string, string>,
  ): void {
    this.#responder.reject(request, status, reason, headers);
  }

  /** Ends a request whose response cannot be sent because of a bug, with a 500 if possible. */
  fail(request: ServiceRequest, error: unknown): void {
    const { logger, tree } = this.#options;
    logBug(logger, error, 'Failed to answer a request: a bug in momo-mock');
    if (request.response.headersSent) {
      request.response.destroy();
      return;
    }
    request.failed();
    this.#responder.send(request, errorAnswer(tree.errors, 500));
  }

  #answerPreflight(request: ServiceRequest, corsOrigin: CorsOrigin): void {
    const answer = { status: 204, headers: {}, body: Buffer.alloc(0) };
    request.decided({ answer, source: 'preflight' });
    request.sending(204);
    request.response.writeHead(204, preflightHeaders(corsOrigin, request.raw.headers)).end();
  }

  #rejectBody(request: ServiceRequest, status: number, longest: number): void {
    if (status === 413) {
      const most = (longest / 1024).toLocaleString('en');
      request.record.detail = `the body is too long: at most ${most} KiB`;
    }
    const reason = status === 413 ? 'request-rejected' : 'bad-request';
    this.#responder.reject(request, status, reason, CLOSE);
  }

  /** Asks the store for what decides the response. In memory, it answers at once. */
  #checkKey(request: ServiceRequest, unknown?: (request: ServiceRequest) => void): void {
    const { operation, target, raw } = request;
    const { key, reason } = readKey(target?.query ?? [], raw.headers);
    const checked = key === undefined ? ACCEPTED : this.#check(request);
    const { store } = this.#options.mock;
    const decided = store.decide(key, operation?.name, checked.problems.length > 0);
    if (!(decided instanceof Promise)) {
      this.#answer(request, decided, reason, checked, unknown);
      return;
    }
    const answer = (found: Decided): void =>
      this.#guarded(request, () => this.#answer(request, found, reason, checked, unknown));
    decided.then(answer, (error) => this.fail(request, error));
  }

  /** Checks a request for an operation, before anything is taken for it. */
  #check(request: ServiceRequest): Checked {
    const { operation, target, body, raw } = request;
    if (operation === undefined) return ACCEPTED;
    const { requestSchema } = operation;
    const isRead = body.length > 0 && this.#handlers.longestBody(operation) !== undefined;
    const exceeded = target && exceededLimit({ target, headers: raw.headers, body }, isRead);
    if (exceeded !== undefined) {
      return { problems: [exceeded], detail: `${exceeded.path} ${exceeded.message}` };
    }
    if (requestSchema === undefined) return ACCEPTED;
    const own = this.#handlers.requestOf(request, true);
    const problems = requestSchema.violations(own, own.rawBody.length);
    return { own, problems, detail: placesOf(problems, this.#options.mock, requestSchema.schema) };
  }

  #answer(
    request: ServiceRequest,
    decided: Decided,
    reason: Reason,
    { own, problems, detail }: Checked,
    unknown?: (request: ServiceRequest) => void,
  ): void {
    const { mock, tree } = this.#options;
    const { operation } = request;
    const { account, script } = decided;
    if (account === undefined && script === undefined) {
      this.#responder.reject(request, 401, reason);
      return;
    }
    if (account !== undefined) {
      request.record.account = account.id;
      request.account = account;
    }
    if (operation === undefined) {
      unknown?.(request);
      return;
    }
    if (problems.length > 0 && account !== undefined) {
      request.record.detail = detail;
      this.#responder.reject(request, 400, 'request-rejected', undefined, problems);
      return;
    }
    const { errors } = tree;
    const decision = decide(decided, { operation, errors, handlers: mock.handlers });
    if (!('handler' in decision)) {
      this.#responder.respond(request, decision);
      return;
    }
    this.#handlers
      .run(request, decision, own)
      .then((handled) => this.#responder.respond(request, handled.decision, handled.reason))
      .catch((error) => this.fail(request, error));
  }

  #guarded(request: ServiceRequest, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.fail(request, error);
    }
  }
}

/** The places of problems, without names that only the client can have chosen. */
function placesOf(problems: readonly RequestViolation[], mock: Mock, schema: unknown): string {
  const isNamed = isNamedIn({ query: 0, headers: 0, body: 0, schema });
  const places = problems.map(({ path }) => {
    const names = path.replaceAll(/\[\d+\]/g, '').split('.');
    const known = names.map((name) => (isNamed(name) ? name : '…'));
    return mock.loggablePath(known).slice(1).replaceAll('/', '.');
  });
  return [...new Set(places)].join(', ');
}
