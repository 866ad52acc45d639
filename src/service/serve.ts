import type { IncomingHttpHeaders } from 'node:http';
import { rateLimitHeaders } from '../mock/account/rate-limit.ts';
import { MAX_GIVEN_BYTES } from '../mock/limits.ts';
import type { Credentials } from '../mock/mock.ts';
import type { RequestReason } from '../mock/requests/reason.ts';
import { decide, type HandlerCall, type Taken } from '../mock/responses/decide.ts';
import { isPreflight, preflightHeaders } from './cors.ts';
import type { ServiceRequest, ServiceResponse } from './request.ts';
import { ACCEPTED, type Checked, checkContent, maxBodyLength } from './request-content.ts';
import { rejection, send, sendBug } from './response.ts';

const CLOSE = { connection: 'close' };

/**
 * Serves a request from its arrival until its response is sent, or broken by a fault. It awaits
 * only a body, a handler, webhooks that come before the response, and a delay.
 */
export async function serve(request: ServiceRequest): Promise<void> {
  const { raw, target, operation, service } = request;
  const { mock, tree } = service;
  try {
    let response = checkHead(request);

    if (response === undefined && announcesBody(raw.headers)) {
      // Nothing else limits how long an encoded body becomes.
      const maxDecoded = request.encoding === undefined ? undefined : MAX_GIVEN_BYTES;
      const maxLength = maxBodyLength(request) ?? maxDecoded;
      const status = await request.receiveBody(maxLength);
      if (status !== undefined) response = rejectBody(request, status, maxLength);
    }

    if (response === undefined) {
      const { headers } = request.record;
      const credentials = mock.credentials(target?.query ?? [], headers);
      request.credentials = credentials;
      const { key } = credentials;
      const isOpen = operation?.isOpen ?? false;
      const checked = key === undefined && !isOpen ? ACCEPTED : checkContent(request, key);
      const isRefused = checked.problems.length > 0 || lacksToken(request);
      const taken = mock.take({ key, operation: operation?.name, isRefused, isOpen });
      const decision = decideResponse(request, taken, credentials, checked);
      const isHandled = 'handler' in decision;
      const scripted = isHandled ? decision.scripts : [decision];
      for (const { webhooks } of scripted) request.queueWebhooks(webhooks);
      // Loaded for the first handler, not at startup.
      response = isHandled
        ? await (await import('./handlers.ts')).runHandler(request, decision)
        : decision;
    }

    const { isError, http, delay = 0 } = response;
    const errorHandler = isError ? tree.errorHandlers.get(http.status) : undefined;
    if (errorHandler !== undefined) {
      response = await (await import('./handlers.ts')).handleError(request, errorHandler, response);
    }

    if (!request.recordResponse(response)) return;
    const { early } = request;
    if (early !== undefined && !(await early.precede())) return;
    if (delay > 0) await new Promise<void>((resolve) => request.delay(delay, resolve));
    send(request, response);
  } catch (error) {
    sendBug(request, error);
  }
}

/** The response, if it does not depend on the key. */
function checkHead(request: ServiceRequest): ServiceResponse | undefined {
  const { raw, service, target } = request;
  const { headers } = raw;
  const { corsOrigin } = service;
  if (target === undefined) return rejection(request, 400, 'bad-url');
  if (corsOrigin !== 'off' && isPreflight(raw.method, headers)) {
    const allowed = preflightHeaders(corsOrigin, headers) as Record<string, string>;
    const http = { status: 204, headers: allowed, body: Buffer.alloc(0) };
    return { http, source: 'preflight' };
  }
  // HTTP itself requires the host header in HTTP/1.1.
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    // Close the connection, because it is unclear where the next request begins.
    return rejection(request, 400, 'bad-request', CLOSE);
  }
  return undefined;
}

function announcesBody(headers: IncomingHttpHeaders): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return coding !== undefined || (length !== undefined && Number(length) !== 0);
}

function rejectBody(request: ServiceRequest, status: number, maxLength = 0): ServiceResponse {
  if (status !== 413) return rejection(request, status, 'bad-request', CLOSE);
  const limit = (maxLength / 1024).toLocaleString('en');
  request.record.detail = `the body is too long: at most ${limit} KiB`;
  return rejection(request, status, 'request-rejected', CLOSE);
}

/**
 * Decides the response, or the handler that creates it. Stated: without a valid key, the response is
 * 401, even for an unknown path. Only open operations respond without one. Some operations need a
 * valid token of the account besides.
 */
function decideResponse(
  request: ServiceRequest,
  taken: Taken,
  credentials: Credentials,
  { problems, detail }: Checked,
): ServiceResponse | HandlerCall {
  const { operation, service, record } = request;
  const { mock, tree } = service;
  const { account, script, exceeded } = taken;
  const { isOpen = false, needsToken = false } = operation ?? {};
  if (account === undefined && script === undefined && !isOpen) {
    // So that a test finds the request among those of its account.
    if (credentials.kind === 'expired') record.account = credentials.account ?? null;
    const reason = refusalOf(credentials, needsToken && mock.keyRule.acceptsTokens);
    const hint = mock.keyRule.placeHint(reason, request.raw.rawHeaders);
    return { ...rejection(request, 401, reason), hint };
  }
  request.use(account);
  record.account = account?.id ?? null;
  if (lacksToken(request) && script === undefined) {
    return rejection(request, 401, refusalOf(credentials, true));
  }
  if (exceeded !== undefined) {
    return rejection(request, 429, 'rate-limited', rateLimitHeaders(exceeded));
  }
  if (operation === undefined) return rejectUnknown(request);
  // A response that is scripted before the key check also precedes the check of the request.
  if (problems.length > 0 && script === undefined) {
    record.detail = detail;
    return rejection(request, 400, 'request-rejected', undefined, problems);
  }
  return decide(taken, { operation, errors: tree.errors, mock });
}

function lacksToken({ operation, credentials }: ServiceRequest): boolean {
  return operation?.needsToken === true && credentials?.kind !== 'token';
}

/** @param isOfToken whether a token would have been enough, or is missing beside a valid key */
function refusalOf(credentials: Credentials, isOfToken: boolean): RequestReason {
  if (credentials.kind === 'expired') return 'token-expired';
  const reason = credentials.kind === 'none' ? credentials.reason : 'key-unknown';
  return isOfToken && reason !== 'key-repeated' ? 'token-unknown' : reason;
}

/** Rejects a request with a valid key, but an unknown path or method. */
function rejectUnknown(request: ServiceRequest): ServiceResponse {
  const allow = request.service.methodsAt(request.raw).join(', ');
  if (allow === '')
    return { ...rejection(request, 404, 'unknown-path'), hint: addFileHint(request) };
  const hint = `The path has only the methods ${allow}. Correct the method of the client.`;
  return { ...rejection(request, 405, 'wrong-method', { allow }), hint };
}

const METHODS_OF_FILES = ['get', 'post', 'put', 'patch', 'delete', 'options'];
/** A segment that is most likely the same in all requests. An id has more digits. */
const FIXED_SEGMENT = /^(?!(?:\D*\d){3})[a-z][\w.-]{0,23}$/i;

/**
 * Names the fixture file that would serve a request. Only if the key is in a header: otherwise the path
 * may contain it.
 */
function addFileHint(request: ServiceRequest): string | undefined {
  const { raw, target, service } = request;
  const { keyRule, redactor } = service.mock;
  const segments = target?.segments.filter((text, at, all) => text !== '' || at + 1 < all.length);
  const method = raw.method === 'HEAD' ? 'get' : `${raw.method?.toLowerCase()}`;
  const hasFile = METHODS_OF_FILES.includes(method) && segments?.[0];
  if (segments?.includes(''))
    return 'The path has //, which no fixture file serves. Remove a slash, such as one at the end of the base URL.';
  if (!keyRule.isInHeader || !hasFile || segments === undefined) return undefined;
  let ids = 0;
  const names = segments.map((text, at) => {
    const isReserved = at === 0 && text === 'errors';
    if (FIXED_SEGMENT.test(text) && !isReserved && !redactor.isSecret(text)) return text;
    return ++ids === 1 ? '[id]' : `[id${ids}]`;
  });
  const file = `fixtures/${names.join('/')}.${method}.${method === 'get' ? 'json' : 'js'}`;
  return `No fixture file has this path. Add ${file}.`;
}
