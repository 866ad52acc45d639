import type { IncomingHttpHeaders } from 'node:http';
import { readKey } from '../mock/api-key.ts';
import { decide } from '../mock/decide.ts';
import { isNamedIn } from '../mock/given-body.ts';
import { rateLimitHeaders } from '../mock/rate-limit.ts';
import type { Reason } from '../mock/reason.ts';
import type { RequestViolation } from '../mock/request-schema.ts';
import type { Decided } from '../mock/store/store.ts';
import { isPreflight, preflightHeaders } from './cors.ts';
import { exceededLimit, handlerRequest } from './handler-request.ts';
import { longestBody, queueCallbacks, runHandler } from './handlers.ts';
import { fail, reject, respond } from './reply.ts';
import type { ServiceRequest } from './request.ts';

/** What the check of a request has found. */
interface Checked {
  readonly problems: readonly RequestViolation[];
  /** The places of the problems, for the journal. */
  readonly detail: string;
}

const ACCEPTED: Checked = { problems: [], detail: '' };
const CLOSE = { connection: 'close' };

/** Answers a request: its body arrives, its key is checked, and its response is decided and sent. */
export function serve(request: ServiceRequest): void {
  try {
    receive(request);
  } catch (error) {
    fail(request, error);
  }
}

function receive(request: ServiceRequest): void {
  const { raw, service } = request;
  const { headers } = raw;
  const { corsOrigin } = service;
  if (request.target === undefined) {
    reject(request, 400, 'bad-url');
    return;
  }
  if (corsOrigin !== 'off' && isPreflight(raw.method, headers)) {
    const allowed = preflightHeaders(corsOrigin, headers) as Record<string, string>;
    const answer = { status: 204, headers: allowed, body: Buffer.alloc(0) };
    respond(request, { answer, source: 'preflight' });
    return;
  }
  // HTTP itself requires the host header in HTTP/1.1.
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    // Close the connection, because it is unclear where the next request begins.
    reject(request, 400, 'bad-request', CLOSE);
    return;
  }
  if (!announcesBody(headers)) {
    checkKey(request);
    return;
  }
  const longest = longestBody(request);
  request.receiveBody(longest, (status) => {
    try {
      if (status === undefined) checkKey(request);
      else rejectBody(request, status, longest);
    } catch (error) {
      fail(request, error);
    }
  });
}

function announcesBody(headers: IncomingHttpHeaders): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return coding !== undefined || (length !== undefined && Number(length) !== 0);
}

function rejectBody(request: ServiceRequest, status: number, longest = 0): void {
  if (status === 413) {
    const most = (longest / 1024).toLocaleString('en');
    request.record.detail = `the body is too long: at most ${most} KiB`;
  }
  reject(request, status, status === 413 ? 'request-rejected' : 'bad-request', CLOSE);
}

/**
 * Asks the store for what decides the response. In memory, it answers at once. Stated: without a
 * valid key, the response is 401, even for an unknown path.
 */
function checkKey(request: ServiceRequest): void {
  const { operation, target, raw, service } = request;
  const { key, reason } = readKey(target?.query ?? [], raw.headers);
  const checked = key === undefined ? ACCEPTED : check(request);
  const decided = service.mock.store.decide(key, operation?.name, checked.problems.length > 0);
  if (!(decided instanceof Promise)) {
    answer(request, decided, reason, checked);
    return;
  }
  decided
    .then((found) => answer(request, found, reason, checked))
    .catch((error) => {
      if (Object(error).code !== 'MOMO_MOCK_STORE_UNAVAILABLE') fail(request, error);
      else reject(request, 503, 'store-unavailable');
    });
}

/** Checks a request for an operation, before anything is taken for it. */
function check(request: ServiceRequest): Checked {
  const { operation, body } = request;
  if (operation === undefined) return ACCEPTED;
  const isRead = body.length > 0 && longestBody(request) !== undefined;
  const exceeded = exceededLimit(request, isRead);
  if (exceeded !== undefined) {
    return { problems: [exceeded], detail: `${exceeded.path} ${exceeded.message}` };
  }
  const { requestSchema } = operation;
  if (requestSchema === undefined) return ACCEPTED;
  const problems = requestSchema.violations(handlerRequest(request), body.length);
  return { problems, detail: placesOf(problems, request, requestSchema.schema) };
}

function answer(request: ServiceRequest, decided: Decided, reason: Reason, checked: Checked): void {
  const { operation, service } = request;
  const { account, script } = decided;
  if (account === undefined && script === undefined) {
    reject(request, 401, reason);
    return;
  }
  if (account !== undefined) {
    request.record.account = account.id;
    request.account = account;
  }
  if (decided.exceeded !== undefined) {
    reject(request, 429, 'rate-limited', rateLimitHeaders(decided.exceeded));
    return;
  }
  if (operation === undefined) {
    rejectUnknown(request);
    return;
  }
  if (checked.problems.length > 0 && account !== undefined) {
    request.record.detail = checked.detail;
    reject(request, 400, 'request-rejected', undefined, checked.problems);
    return;
  }
  const { errors } = service.tree;
  const decision = decide(decided, { operation, errors, handlers: service.mock.handlers });
  queueCallbacks(request, 'handler' in decision ? decision.script?.callbacks : decision.callbacks);
  if (!('handler' in decision)) {
    respond(request, decision);
    return;
  }
  runHandler(request, decision)
    .then((reply) => respond(request, reply))
    .catch((error) => fail(request, error));
}

/** Rejects a request with a valid key that no operation answers. */
function rejectUnknown(request: ServiceRequest): void {
  const allowed = [...request.service.methodsAt(request.raw.url ?? '')];
  if (allowed.length === 0) {
    reject(request, 404, 'unknown-path');
    return;
  }
  if (allowed.includes('GET')) allowed.push('HEAD');
  reject(request, 405, 'wrong-method', { allow: allowed.sort().join(', ') });
}

/** The places of problems, without names that only the client can have chosen. */
function placesOf(
  problems: readonly RequestViolation[],
  { service }: ServiceRequest,
  schema: unknown,
): string {
  const isNamed = isNamedIn({ query: 0, headers: 0, body: 0, schema });
  const places = problems.map(({ path }) => {
    const names = path.replaceAll(/\[\d+\]/g, '').split('.');
    const known = names.map((name) => (isNamed(name) ? name : '…'));
    return service.mock.loggablePath(known).slice(1).replaceAll('/', '.');
  });
  return [...new Set(places)].join(', ');
}
