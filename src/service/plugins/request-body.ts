import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { fastifyPlugin } from 'fastify-plugin';
import { LONGEST_BODY } from '../../mock/journal.ts';
import type { Responder } from '../reply.ts';
import type { RequestLifecycle } from '../request-lifecycle.ts';

/** The options for receiving bodies. */
export interface RequestBodyOptions {
  readonly responder: Responder;
  /** How long a body may take to arrive, in ms. */
  readonly clientTimeout: number;
}

/**
 * Receives the whole body of each request, whatever its method and type, so that the journal has it
 * before the client gets the response. It is not parsed, because it does not affect the response.
 */
export const requestBodyPlugin = fastifyPlugin<RequestBodyOptions>((app, options, done) => {
  const { responder, clientTimeout } = options;
  app.addHook('preParsing', (request, reply, payload, next) => {
    // HTTP itself requires the host header in HTTP/1.1.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      return reject(400);
    }
    if (!announcesBody(request.headers)) return next(null, payload);
    receiveBody(request.raw, request.lifecycle, clientTimeout, (status) => {
      if (status === undefined) next(null, payload);
      else reject(status);
    });
    function reject(status: number): void {
      // Close the connection, because it is unclear where the next request begins.
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
 *   has arrived, with 408 if it takes too long, with 400 if it is not valid HTTP
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
  // Keep the listener after the end, because a late body can fail long after the response.
  incoming.on('error', ({ code }: NodeJS.ErrnoException) => {
    // Any other error means that the client left.
    if (code?.startsWith('HPE_')) conclude(400);
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') conclude(408);
  });
  lifecycle.after(timeout, () => conclude(408));
}
