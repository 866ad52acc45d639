import { randomUUID } from 'node:crypto';
import type { Logger } from '../logger.ts';
import { type Answer, errorAnswer, withHeaders } from '../mock/answer.ts';
import type { prepareCallback } from '../mock/callbacks/prepared-callback.ts';
import { applyScript, BARE, type Decision, type HandlerCall } from '../mock/decide.ts';
import { checkHandledBody } from '../mock/given-body.ts';
import type { HandlerContext, HandlerRequest } from '../mock/handler.ts';
import { LONGEST_CHECKED, LONGEST_GIVEN } from '../mock/limits.ts';
import type { Mock } from '../mock/mock.ts';
import type { FixtureTree, Operation } from '../mock/operation.ts';
import type { Reason } from '../mock/reason.ts';
import type { RequestViolation } from '../mock/request-schema.ts';
import { within } from '../timers.ts';
import { causeOf, HandlerFailure, placeOf } from './handler-failure.ts';
import { handlerRequest, withoutSecrets } from './handler-request.ts';
import type { ServiceRequest } from './service-request.ts';

/** The options of the handlers of an application. */
export interface HandlerOptions {
  readonly mock: Mock;
  readonly tree: FixtureTree;
  /** How long a handler may take, in ms. */
  readonly timeout: number;
  readonly logger: Logger;
}

/** A decision, and the reason if the handler failed. */
export interface Handled {
  readonly decision: Decision;
  readonly reason?: Reason;
}

/** What checks the values that handlers give. It is loaded for the first one: no start needs it. */
let loaded: ReturnType<typeof loadChecks> | undefined;
const checks = () => (loaded ??= loadChecks());

async function loadChecks() {
  const [response, callback] = await Promise.all([
    import('./handler-response.ts'),
    import('../mock/callbacks/prepared-callback.ts'),
  ]);
  return { ...response, ...callback };
}

/** Runs the handlers of a fixture tree. */
export class HandlerRunner {
  readonly #options: HandlerOptions;

  constructor(options: HandlerOptions) {
    this.#options = options;
  }

  /**
   * The response of a handler; that of `errors/500` if it fails. Never rejects.
   *
   * @param own the request as handlers get it
   */
  async run(
    request: ServiceRequest,
    call: HandlerCall,
    own: HandlerRequest = this.requestOf(request),
  ): Promise<Handled> {
    const { file, variant, script } = call;
    const { operation } = request;
    try {
      const { answer, delay, fault } = await this.#ask(request, call, own);
      if (operation !== undefined && answer.status < 300) {
        checkHandledBody(operation, answer.body);
      }
      return {
        decision: {
          answer: script === undefined ? answer : withHeaders(answer, script.headers),
          source: 'handler',
          ...(file !== undefined && { file }),
          variant,
          delay: delay + (script?.delay() ?? 0),
          fault: script?.fault ?? fault,
        },
      };
    } catch (error) {
      this.#report(request, error, file);
      const reason = 'handler-failed';
      const answer = await this.error(request, 500, reason, []);
      return { decision: { answer, source: 'error' }, reason };
    }
  }

  /**
   * The request as handlers and request schemas get it.
   *
   * @param isTrusted whether its key is valid: without, it has no secrets
   */
  requestOf(
    { account, raw, operation, target, body }: ServiceRequest,
    isTrusted = account !== undefined,
  ): HandlerRequest {
    const { method = '', headers } = raw;
    const { segments, query } = target ?? { segments: [], query: [] };
    const source = { method, target: { segments, query }, headers, body, operation };
    const { redactor } = this.#options.mock;
    return handlerRequest(isTrusted ? source : withoutSecrets(source, redactor));
  }

  /**
   * How long the body of a request for an operation may be, in bytes, because a handler or a request
   * schema reads all of it; `undefined` if nothing does.
   */
  longestBody(operation: Operation | undefined): number | undefined {
    if (operation === undefined) return undefined;
    if (operation.requestSchema !== undefined) return LONGEST_CHECKED;
    const isHandled =
      'handler' in operation.default ||
      this.#options.mock.handlers.has(operation.name) ||
      [...operation.variants.values()].some((variant) => 'handler' in variant);
    return isHandled ? LONGEST_GIVEN : undefined;
  }

  /** Whether there is a handler `errors/<status>.js`. */
  hasError(status: number): boolean {
    return this.#options.tree.errorHandlers.has(status);
  }

  /**
   * The response of the handler `errors/<status>.js`, with the status of the error unless it says
   * another; without such a handler, that of the file. If it fails, a bare 500. Never rejects.
   */
  async error(
    request: ServiceRequest,
    status: number,
    reason: Reason | null,
    problems: readonly RequestViolation[],
  ): Promise<Answer> {
    const { errors, errorHandlers } = this.#options.tree;
    const found = errorHandlers.get(status);
    if (found === undefined) return errorAnswer(errors, status);
    try {
      const own = { ...this.requestOf(request), reason, problems };
      const { answer } = await this.#ask(request, found, own, status);
      return answer;
    } catch (error) {
      this.#report(request, error, found.file);
      return { status: 500, headers: {}, body: Buffer.alloc(0) };
    }
  }

  async #ask(
    request: ServiceRequest,
    { handler, file }: Pick<HandlerCall, 'handler' | 'file'>,
    own: HandlerRequest,
    status = 200,
  ) {
    const { timeout, tree } = this.#options;
    const { handlerResponse, prepareCallback } = await checks();
    const context = this.#contextOf(request, file, prepareCallback);
    const returned = handler(own, context);
    const late = () =>
      new HandlerFailure(`it took longer than ${timeout} ms, which is MOMO_MOCK_CLIENT_TIMEOUT`);
    const response = isPromise(returned) ? await within(returned, timeout, late) : returned;
    const script = handlerResponse(response, status);
    return {
      answer: applyScript(script, BARE, tree.errors),
      delay: script.delay(),
      fault: script.fault,
    };
  }

  #contextOf(
    request: ServiceRequest,
    file = 'handle()',
    prepare: typeof prepareCallback,
  ): HandlerContext {
    const { mock, tree, logger } = this.#options;
    const { account, operation } = request;
    const { state, clock } = mock.scopes.of(account?.id);
    const log = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string) =>
      logger[level]({ operation: operation?.name }, mock.redactor.redact(`${message}`));
    return {
      account: {
        id: account?.id ?? '',
        variant: account?.variant ?? account?.initialVariant ?? null,
      },
      state,
      after: (ms, act) => {
        // V8 makes the text of its stack only when it is read.
        const set = new Error();
        clock.after(ms, act, () => placeOf(set) ?? file);
      },
      callback: (callback) => {
        const prepared = prepare(callback);
        if (prepared === undefined) return;
        const source = { account: account?.id ?? null, timers: clock };
        const queue = mock.callbacks.prepare(prepared, source);
        // By the clock, so that an `advance` right after the response waits for it.
        clock.after(0, () => request.ended.then(queue));
      },
      now: () => clock.now(),
      uuid: () => randomUUID(),
      fixture: (path) => tree.read(path),
      log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    };
  }

  #report({ record }: ServiceRequest, error: unknown, file = 'handle()'): void {
    const { logger, mock } = this.#options;
    const place = placeOf(error) ?? file;
    record.detail = place;
    const text = `Failed to run the handler at ${place}: ${causeOf(error)}. Correct it; a file is loaded again when it changes.`;
    logger.error({ account: record.account ?? undefined }, mock.redactor.redact(text));
  }
}

/** Whether it is a promise, maybe of another context, as those of jest. */
function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Partial<Promise<unknown>> | undefined)?.then === 'function';
}
