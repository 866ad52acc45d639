import { randomUUID } from 'node:crypto';
import { type Answer, errorAnswer, withHeaders } from '../mock/answer.ts';
import type { handledCallback, PreparedCallback } from '../mock/callbacks/callback.ts';
import { applyScript, BARE, type HandlerCall } from '../mock/decide.ts';
import { checkHandledBody } from '../mock/given-body.ts';
import type { ErrorRequest, HandlerContext, HandlerRequest } from '../mock/handler.ts';
import { LONGEST_CHECKED, LONGEST_GIVEN } from '../mock/limits.ts';
import type { HandlerFixture } from '../mock/operation.ts';
import { within } from '../timers.ts';
import { causeOf, HandlerFailure, placeOf } from './handler-errors.ts';
import { handlerRequest } from './handler-request.ts';
import type { Reply, ServiceRequest } from './request.ts';

/** Loads what checks the values that handlers give, for the first one: no start needs it. */
const load = () =>
  Promise.all([import('./handler-response.ts'), import('../mock/callbacks/callback.ts')]);
let loaded: ReturnType<typeof load> | undefined;

/** The response of a handler, or that of `errors/500` if it fails. Never rejects. */
export async function runHandler(request: ServiceRequest, call: HandlerCall): Promise<Reply> {
  const { file, variant, script } = call;
  const { operation, service } = request;
  try {
    const made = await ask(request, call, handlerRequest(request), 200);
    const { answer, delay, fault } = made;
    if (operation !== undefined && answer.status < 300) checkHandledBody(operation, answer.body);
    queueCallbacks(request, made.callbacks);
    return {
      answer: script === undefined ? answer : withHeaders(answer, script.headers),
      source: 'handler',
      ...(file !== undefined && { file }),
      variant,
      delay: delay + (script?.delay() ?? 0),
      fault: script?.fault ?? fault,
    };
  } catch (error) {
    report(request, error, file);
    const answer = errorAnswer(service.tree.errors, 500);
    return { answer, source: 'error', isError: true, reason: 'handler-failed' };
  }
}

/**
 * The response of the handler `errors/<status>.js`, with the status of the error unless it says
 * another. If it fails, a bare 500. Never rejects.
 */
export async function handleError(
  request: ServiceRequest,
  fixture: HandlerFixture,
  { answer, reason, problems = [] }: Reply,
): Promise<Answer> {
  const { redactor } = request.service.mock;
  try {
    const shown = handlerRequest(request, request.account === undefined ? redactor : undefined);
    const own: ErrorRequest = { ...shown, reason: reason ?? null, problems };
    const made = await ask(request, fixture, own, answer.status);
    queueCallbacks(request, made.callbacks);
    return made.answer;
  } catch (error) {
    report(request, error, fixture.file);
    return { status: 500, headers: {}, body: Buffer.alloc(0) };
  }
}

/**
 * How long the body of a request may be, in bytes, because a handler or a request schema reads all
 * of it; `undefined` if nothing does.
 */
export function longestBody({ operation, service }: ServiceRequest): number | undefined {
  if (operation === undefined) return undefined;
  if (operation.requestSchema !== undefined) return LONGEST_CHECKED;
  const isHandled =
    service.mock.handlers.has(operation.name) ||
    [operation.default, ...operation.variants.values()].some((fixture) => 'handler' in fixture);
  return isHandled ? LONGEST_GIVEN : undefined;
}

/** @param status the status of a response that says none */
async function ask(
  request: ServiceRequest,
  { handler, file }: Pick<HandlerCall, 'handler' | 'file'>,
  own: HandlerRequest,
  status: number,
) {
  const { clientTimeout, tree } = request.service;
  loaded ??= load();
  const [{ handlerResponse }, { handledCallback }] = await loaded;
  const returned = handler(own, contextOf(request, handledCallback, file));
  const late = () =>
    new HandlerFailure(
      `it took longer than ${clientTimeout} ms, which is MOMO_MOCK_CLIENT_TIMEOUT`,
    );
  const response = isPromise(returned) ? await within(returned, clientTimeout, late) : returned;
  const script = handlerResponse(response, status);
  return {
    answer: applyScript(script, BARE, tree.errors),
    delay: script.delay(),
    fault: script.fault,
    callbacks: script.callbacks,
  };
}

function contextOf(
  request: ServiceRequest,
  prepare: typeof handledCallback,
  file = 'handle()',
): HandlerContext {
  const { account, operation, service } = request;
  const { mock, tree, logger } = service;
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
    callback: (given) => {
      const callback = prepare(given);
      if (callback !== undefined) queueCallbacks(request, [callback]);
    },
    now: () => clock.now(),
    uuid: () => randomUUID(),
    fixture: (path) => tree.read(path),
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
  };
}

/** Sends callbacks by the clock of the account, after the response to a request has left. */
export function queueCallbacks(
  request: ServiceRequest,
  callbacks: readonly PreparedCallback[] = [],
): void {
  const { mock } = request.service;
  for (const callback of callbacks) {
    mock.callbacks.queue(callback, request.account?.id, request.left);
  }
}

function report({ record, service }: ServiceRequest, error: unknown, file = 'handle()'): void {
  const place = placeOf(error) ?? file;
  record.detail = place;
  const text = `Failed to run the handler at ${place}: ${causeOf(error)}. Correct it; a file is loaded again when it changes.`;
  const { logger, mock } = service;
  logger.error({ account: record.account ?? undefined }, mock.redactor.redact(text));
}

/** Whether it is a promise, maybe of another context, as those of jest. */
function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Partial<Promise<unknown>> | undefined)?.then === 'function';
}
