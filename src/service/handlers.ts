import { randomUUID } from 'node:crypto';
import { asSentence, invalid, MomoMockError } from '../errors.ts';
import { tokenOptions } from '../mock/account/token-options.ts';
import type { AfterOptions } from '../mock/clock/timer-queue.ts';
import { check, unlessMistyped } from '../mock/json/check.ts';
import { AS_JSON } from '../mock/json/define.ts';
import { jsonOf } from '../mock/json/json-of.ts';
import type {
  HandlerContext,
  HandlerErrorRequest,
  HandlerRequest,
  HandlerResponse,
} from '../mock/operations/handler.ts';
import type { HandlerFixture } from '../mock/operations/operation.ts';
import type { OpenPrompt } from '../mock/prompts/open-prompts.ts';
import { PROMPT, type Prompt } from '../mock/prompts/prompt.ts';
import {
  applyScript,
  BARE,
  type Changeable,
  type HandlerCall,
  withScript,
} from '../mock/responses/decide.ts';
import { checkBody } from '../mock/responses/given-body.ts';
import { errorResponse, withHeaders } from '../mock/responses/http-response.ts';
import { HANDLER_RESPONSE, prepareResponse } from '../mock/responses/scripted-response.ts';
import { handledWebhook, withUrl } from '../mock/webhooks/webhook.ts';
import { within } from '../timers.ts';
import { SET_HANDLER } from './handled-operation.ts';
import { causeOf, HandlerFailure, placeOf } from './handler-errors.ts';
import type { ServiceRequest, ServiceResponse } from './request.ts';
import { handlerRequest, redactedHandlerRequest } from './request-content.ts';

const NO_ACCOUNT =
  'the request has no valid key, and a token belongs to the account of a key. Without one, respond with an error';
const PARTS = ['headers', 'body', 'delay', 'fault', 'webhook'] as const;

/** The response of a handler, or of `errors/500` if it fails. Never rejects. */
export async function runHandler(
  request: ServiceRequest,
  call: HandlerCall,
): Promise<ServiceResponse> {
  const { file, variant, scripts, source } = call;
  const { operation, service } = request;
  try {
    const { script, http, reason, hint } = await run(request, call, handlerRequest(request), 200);
    if (operation !== undefined && http.status < 300) checkBody(operation, http.body);
    request.queueWebhooks(script.webhooks);
    const isError = http.status >= 400 && script.body === undefined;
    const refusal = { isError, reason, hint };
    let response: Changeable = { http, delay: script.delay(), fault: script.fault, ...refusal };
    for (const change of scripts) response = withScript(change, response, service.tree.errors);
    // A handler of a test is no file, but with a scripted response, nothing else shows that it ran.
    const isShown = source === 'script' || file !== SET_HANDLER;
    return { ...response, source, ...(isShown && { file }), variant };
  } catch (error) {
    report(request, error, file);
    const http = errorResponse(service.tree.errors, 500);
    return { http, source: 'error', isError: true, reason: 'handler-failed' };
  }
}

/**
 * The response of the handler `errors/<status>.js`, with the error's headers, and with the error's
 * status unless the handler returns another. If the handler fails, a bare 500. Never rejects.
 */
export async function handleError(
  request: ServiceRequest,
  fixture: HandlerFixture,
  error: ServiceResponse,
): Promise<ServiceResponse> {
  const { reason = null, problems = [] } = error;
  const { status, headers } = error.http;
  try {
    const isRefused =
      request.account === undefined || reason === 'token-unknown' || reason === 'token-expired';
    const input = isRefused ? redactedHandlerRequest(request) : handlerRequest(request);
    const errorRequest: HandlerErrorRequest = { ...input, reason, problems };
    const { script, http, reason: own } = await run(request, fixture, errorRequest, status);
    if (own !== undefined) throw invalid('reason', 'must be left out: the error has its reason');
    request.queueWebhooks(script.webhooks);
    return { ...error, http: withHeaders(http, headers) };
  } catch (failure) {
    report(request, failure, fixture.file);
    return { ...error, http: { ...BARE, status: 500, headers } };
  }
}

async function run(
  request: ServiceRequest,
  { handler, file }: Pick<HandlerCall, 'handler' | 'file'>,
  input: HandlerRequest,
  status: number,
) {
  const { clientTimeout, tree } = request.service;
  // Promise.resolve, because a promise may be from another realm, as in jest.
  const returned = Promise.resolve(handler(input, contextOf(request, file)));
  const late = `it took longer than ${clientTimeout} ms, which is MOMO_MOCK_CLIENT_TIMEOUT`;
  const result = await within(returned, clientTimeout, () => new HandlerFailure(late));
  const { reason, hint, ...response } = handlerResponse(result, status);
  const script = prepareResponse(response);
  return { script, http: applyScript(script, BARE, tree.errors), reason, hint };
}

function contextOf(request: ServiceRequest, file: string): HandlerContext {
  const { account, operation, service, credentials, record } = request;
  const { mock, tree, logger } = service;
  const { state, clock, prompts, webhookQueue } = request.accountOrAll;
  const early = request.expectWebhooks();
  const log = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string) =>
    logger[level]({ operation: operation?.name }, mock.redactor.redact(`${message}`));
  const here = (): AfterOptions => {
    // V8 formats the stack only when something reads it.
    const setAt = new Error();
    return { place: () => placeOf(setAt) ?? file, owner: early };
  };
  return {
    account: {
      id: account?.id ?? '',
      variant: account?.variant ?? null,
    },
    password: account && mock.keyRule.passwordIn(record.headers),
    claims: credentials?.kind === 'token' ? JSON.parse(credentials.claims) : undefined,
    issueToken: async (options) => {
      const { seconds, claims } = tokenOptions(options);
      const { tokenProblem } = mock.keyRule;
      if (tokenProblem !== undefined) throw cannotIssue(tokenProblem);
      if (account === undefined) throw cannotIssue(NO_ACCOUNT);
      return account.tokens.issue(seconds, claims);
    },
    state,
    after: (ms, act) => void clock.after(ms, act, here()),
    prompt: (prompt, onEnd) => {
      const checked: Prompt = check(PROMPT, prompt, unlessMistyped);
      prompts.ask(checked, onEnd as OpenPrompt['onEnd'], here());
    },
    webhook: (options) => {
      const webhook = handledWebhook(options);
      if (webhook !== undefined) webhookQueue.queue(webhook, early);
    },
    sendWebhook: async (options) => {
      const webhook = handledWebhook(options);
      if (webhook === undefined) return { status: null, reason: 'bad-url', body: '' };
      return await webhookQueue.ask(webhook);
    },
    now: () => clock.now(),
    uuid: () => randomUUID(),
    fixture: (path) => tree.read(path),
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
  };
}

function report({ record, service }: ServiceRequest, error: unknown, file: string): void {
  const place = placeOf(error) ?? file;
  record.detail = place;
  const text = `Failed to run the handler at ${place}: ${causeOf(error)}. Correct it; changed files are reloaded.`;
  const { logger, mock } = service;
  logger.error({ account: record.account ?? undefined }, mock.redactor.redact(text));
}

function cannotIssue(problem: string): MomoMockError {
  const text = `Failed to issue the token: ${asSentence(problem)}`;
  return new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
}

/** @param status the status if the handler returns none */
function handlerResponse(returned: unknown, status: number): HandlerResponse {
  if (returned === undefined) return { status };
  if (!isPlain(returned)) {
    const text =
      'must be a plain object with some of status, headers, body, delay, fault, webhook, reason, hint, or nothing';
    throw invalid("the handler's response", text);
  }
  const response: HandlerResponse = returned;
  const { body, webhook } = response;
  const isBytes = ArrayBuffer.isView(body);
  for (const name of PARTS) if (name !== 'body' || !isBytes) checkPart(name, response[name]);
  const withUrls = Array.isArray(webhook) ? webhook.map(withUrl) : webhook && withUrl(webhook);
  const given = { status, ...response, webhook: withUrls, ...(isBytes && { body: '' }) };
  return { ...check(HANDLER_RESPONSE, given, unlessMistyped), body };
}

/** Whether a value is a plain object, possibly from another realm, as in jest. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Rejects class instances such as `Headers` and `Map`, whose content JSON would lose. */
function checkPart(name: string, part: unknown): void {
  const isInstance =
    typeof part === 'object' && part !== null && !Array.isArray(part) && !isPlain(part);
  if (!isInstance) return;
  if (name !== 'body') throw invalid(name, 'must be a plain object');
  const isEmpty = !('toJSON' in part) && jsonOf(part) === '{}';
  if (isEmpty) throw invalid(name, `must be ${AS_JSON}`);
}
