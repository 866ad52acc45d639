import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { fastifyPlugin } from 'fastify-plugin';
import { LONGEST_BODY } from '../../mock/journal.ts';
import type { Responder } from '../reply.ts';
import type { RequestLifecycle } from '../request-lifecycle.ts';

/** How a body is received. */
export interface RequestBodyOptions {
  readonly responder: Responder;
  /** How long a body may take to arrive, in ms. */
  readonly clientTimeout: number;
}

/**
 * Receives the body of each request, whatever its method and type, to its end, so that the journal
 * has it when the client has its answer. The body decides nothing, so nothing parses it.
 */
export const requestBodyPlugin = fastifyPlugin<RequestBodyOptions>((app, options, done) => {
  const { responder, clientTimeout } = options;
  app.addHook('preParsing', (request, reply, payload, next) => {
    // Stated by HTTP itself: a request of HTTP/1.1 has a host header.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      return reject(400);
    }
    if (!announcesBody(request.headers)) return next(null, payload);
    receiveBody(request.raw, request.lifecycle, clientTimeout, (status) => {
      if (status === undefined) next(null, payload);
      else reject(status);
    });
    function reject(status: number): void {
      // The next request on the connection cannot be found.
      reply.header('connection', 'close');
      responder.reject(reply, status, 'bad-request');
    }
  });
  done();
});

function announcesBody(headers: IncomingHttpHeaders): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return coding !== undefined || (length !== undefined && Number(length) !== 0);
}

/**
 * @param finish called once, unless the client leaves first: without a status when the whole body
 *   is there, with 408 when it takes too long, with 400 when it is not what HTTP calls a body
 */
function receiveBody(
  incoming: IncomingMessage,
  lifecycle: RequestLifecycle,
  timeout: number,
  finish: (status?: 400 | 408) => void,
): void {
  const kept: Buffer[] = [];
  let room = LONGEST_BODY;
  let isCut = false;
  let isFinished = false;
  const conclude = (status?: 400 | 408): void => {
    if (isFinished) return;
    isFinished = true;
    lifecycle.received(Buffer.concat(kept), isCut);
    finish(status);
  };
  incoming.on('data', (chunk: Buffer) => {
    if (isFinished) return;
    kept.push(chunk.subarray(0, room));
    isCut ||= chunk.length > room;
    room -= Math.min(room, chunk.length);
  });
  incoming.once('end', () => conclude());
  // Stays after the end: a late body can break when its request was answered long ago.
  incoming.on('error', ({ code }: NodeJS.ErrnoException) => {
    // Any other error means that the client left.
    if (code?.startsWith('HPE_')) conclude(400);
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') conclude(408);
  });
  lifecycle.after(timeout, () => conclude(408));
}
