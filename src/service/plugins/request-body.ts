import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { fastifyPlugin } from 'fastify-plugin';
import { LONGEST_BODY } from '../../mock/limits.ts';
import type { Operation } from '../../mock/operation.ts';
import type { Responder } from '../reply.ts';
import type { RequestLifecycle } from '../request-lifecycle.ts';

/** The options for receiving bodies. */
export interface RequestBodyOptions {
  /**
   * How long a body may be, in bytes, if a handler or a request schema reads it: then all of it is
   * kept.
   */
  readonly longestBody: (operation: Operation | undefined) => number | undefined;
  readonly responder: Responder;
  /** How long a body may take to arrive, in ms. */
  readonly clientTimeout: number;
}

/**
 * Receives the whole body of each request, whatever its method and type, so that the journal has it
 * before the client gets the response. It is not parsed here: only handlers and request schemas read
 * it.
 */
export const requestBodyPlugin = fastifyPlugin<RequestBodyOptions>((app, options, done) => {
  const { responder, clientTimeout, longestBody } = options;
  app.addHook('preParsing', (request, reply, payload, next) => {
    // HTTP itself requires the host header in HTTP/1.1.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      return reject(400);
    }
    if (!announcesBody(request.headers)) return next(null, payload);
    const { lifecycle } = request;
    const longest = longestBody(lifecycle.operation) ?? Infinity;
    receiveBody(request.raw, lifecycle, { timeout: clientTimeout, longest }, (status) => {
      if (status === undefined) next(null, payload);
      else reject(status);
    });
    function reject(status: number): void {
      // Close the connection, because it is unclear where the next request begins.
      reply.header('connection', 'close');
      if (status === 413) {
        const most = (longestBody(request.lifecycle.operation) ?? 0) / 1024;
        request.lifecycle.record.detail = `the body is too long: at most ${most.toLocaleString('en')} KiB`;
      }
      responder.reject(reply, status, status === 413 ? 'request-rejected' : 'bad-request');
    }
  });
  done();
});

function announcesBody(headers: IncomingHttpHeaders): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return coding !== undefined || (length !== undefined && Number(length) !== 0);
}

/** The limits of a body. */
interface BodyLimits {
  /** How long it may take to arrive, in ms. */
  readonly timeout: number;
  /** Its maximum length in bytes if all of it is kept; otherwise infinite. */
  readonly longest: number;
}

/**
 * @param finish called once, unless the client leaves first: without a status when the whole body
 *   has arrived, with 408 if it takes too long, with 413 if it is too long, with 400 if it is not
 *   valid HTTP
 */
function receiveBody(
  incoming: IncomingMessage,
  lifecycle: RequestLifecycle,
  { timeout, longest }: BodyLimits,
  finish: (status?: 400 | 408 | 413) => void,
): void {
  const kept: Buffer[] = [];
  const most = longest === Infinity ? LONGEST_BODY : longest;
  let length = 0;
  let isFinished = false;
  const conclude = (status?: 400 | 408 | 413): void => {
    if (isFinished) return;
    isFinished = true;
    const body = Buffer.concat(kept);
    const isCut = length > LONGEST_BODY;
    lifecycle.body = body;
    // The journal must not hold the whole of a long body.
    lifecycle.received(isCut ? Buffer.from(body.subarray(0, LONGEST_BODY)) : body, isCut);
    finish(status);
  };
  incoming.on('data', (chunk: Buffer) => {
    if (isFinished) return;
    if (length < most) kept.push(chunk.subarray(0, most - length));
    length += chunk.length;
    if (length > longest) conclude(413);
  });
  incoming.once('end', () => conclude());
  // Keep the listener after the end, because a late body can fail long after the response.
  incoming.on('error', ({ code }: NodeJS.ErrnoException) => {
    // Any other error means that the client left.
    if (code?.startsWith('HPE_')) conclude(400);
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') conclude(408);
  });
  lifecycle.after(timeout, () => conclude(408));
}
