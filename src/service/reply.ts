import type { OutgoingHttpHeaders } from 'node:http';
import { logBug } from '../logger.ts';
import { type Answer, errorAnswer, withHeaders } from '../mock/answer.ts';
import type { ReadFault } from '../mock/fault.ts';
import type { Reason } from '../mock/reason.ts';
import type { RequestViolation } from '../mock/request-schema.ts';
import { corsHeaders } from './cors.ts';
import { handleError } from './handlers.ts';
import type { Reply, ServiceRequest } from './request.ts';

/** The maximum number of pieces of a `dribble`. */
const PIECES = 10;

/**
 * Sends the decided response after its delay, and breaks it if there is a fault. The handler
 * `errors/<status>.js` makes the body of an error, if there is one. Does nothing if another response
 * was decided before, or if the request has ended.
 */
export function respond(request: ServiceRequest, reply: Reply): void {
  const { answer, isError } = reply;
  const handler = isError ? request.service.tree.errorHandlers.get(answer.status) : undefined;
  if (handler === undefined) {
    send(request, reply);
    return;
  }
  handleError(request, handler, reply)
    .then((made) => send(request, { ...reply, answer: withHeaders(made, answer.headers) }))
    .catch((error) => fail(request, error));
}

/**
 * Rejects a request with the response of `errors/<status>`.
 *
 * @param headers additional headers
 * @param problems what violates the request schema
 */
export function reject(
  request: ServiceRequest,
  status: number,
  reason: Reason,
  headers?: Answer['headers'],
  problems: readonly RequestViolation[] = [],
): void {
  const error = errorAnswer(request.service.tree.errors, status);
  const answer = headers === undefined ? error : withHeaders(error, headers);
  respond(request, { answer, source: 'error', isError: true, reason, problems });
}

/** Ends a request whose response cannot be sent because of a bug, with a 500 if possible. */
export function fail(request: ServiceRequest, error: unknown): void {
  const { logger, tree } = request.service;
  logBug(logger, error, 'Failed to answer a request: a bug in momo-mock');
  if (request.response.headersSent) {
    request.response.destroy();
    return;
  }
  request.failed();
  write(request, errorAnswer(tree.errors, 500));
}

function send(request: ServiceRequest, reply: Reply): void {
  if (!request.decided(reply)) return;
  const { delay = 0 } = reply;
  if (delay === 0) {
    deliver(request, reply);
    return;
  }
  request.after(delay, () => {
    try {
      deliver(request, reply);
    } catch (error) {
      fail(request, error);
    }
  });
}

function deliver(request: ServiceRequest, { answer, fault }: Reply): void {
  if (fault === undefined) write(request, answer);
  else injectFault(request, answer, fault);
}

function write(request: ServiceRequest, answer: Answer): void {
  request.writeHead(answer.status, headersOf(request, answer));
  request.response.end(answer.body);
}

/** All headers of a response. Those of CORS replace its own. */
function headersOf({ raw, service }: ServiceRequest, answer: Answer): OutgoingHttpHeaders {
  const { corsOrigin, headers } = service;
  const known = headers.get(answer);
  if (known !== undefined) return known;
  const own = answer.headers as OutgoingHttpHeaders;
  const { status, body } = answer;
  const all = { ...own, ...corsHeaders(corsOrigin, raw.headers), ...lengthOf(status, body) };
  // A list of origins makes them different for each page.
  if (typeof corsOrigin === 'string') headers.set(answer, all);
  return all;
}

/** The header with the length of the body; 204 and 304 have none. */
function lengthOf(status: number, body: Buffer): OutgoingHttpHeaders {
  return status === 204 || status === 304 ? {} : { 'content-length': body.length };
}

/** Breaks a response on the wire. */
function injectFault(request: ServiceRequest, answer: Answer, { type, duration }: ReadFault): void {
  const { response, service } = request;
  const { socket } = request.raw;
  const { status, body } = answer;
  const headers = headersOf(request, answer);
  const half = body.subarray(0, body.length / 2);
  switch (type) {
    case 'reset':
      service.https.reset(socket);
      break;
    case 'close':
      socket.destroy();
      break;
    case 'hang':
      service.https.abandon(socket);
      request.leave();
      break;
    case 'truncate':
      request.writeHead(status, { ...headers, 'content-length': Math.max(1, body.length) });
      response.flushHeaders();
      response.write(half, () => socket.destroy());
      break;
    case 'malformed': {
      // With an unclosed bracket, so that it is never valid JSON.
      const broken = Buffer.concat([half, Buffer.from('}{')]);
      request.writeHead(status, { ...headers, ...lengthOf(status, broken) });
      response.end(broken);
      break;
    }
    case 'dribble':
      request.writeHead(status, headers);
      response.flushHeaders();
      dribble(request, body, duration);
  }
}

/** Sends the first piece immediately and the last one at the end; a single piece at the end. */
function dribble(request: ServiceRequest, body: Buffer, duration: number): void {
  const { response } = request;
  const count = Math.max(1, Math.min(PIECES, body.length));
  const interval = duration / Math.max(1, count - 1);
  const sendPiece = (index: number): void => {
    const piece = body.subarray((body.length * index) / count, (body.length * (index + 1)) / count);
    if (index === count - 1) {
      response.end(piece);
      return;
    }
    response.write(piece);
    request.after(interval, () => sendPiece(index + 1));
  };
  if (count === 1) request.after(interval, () => sendPiece(0));
  else sendPiece(0);
}
