import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Answer } from '../mock/answer.ts';
import type { FaultType, ReadFault } from '../mock/fault.ts';
import type { ReplySockets } from './reply.ts';

/** A hijacked reply, and the response to break. */
export interface Faulty {
  readonly reply: FastifyReply;
  readonly answer: Answer;
  /** All headers of the response except its length. */
  readonly headers: OutgoingHttpHeaders;
  readonly sockets: ReplySockets;
}

/** The maximum number of pieces of a `dribble`. */
const PIECES = 10;

/** Whether a fault leaves the client without a response. */
export function isSilent({ type }: ReadFault): boolean {
  return type === 'reset' || type === 'close' || type === 'hang';
}

/** Breaks a response on the wire. */
export function injectFault({ type, duration }: ReadFault, faulty: Faulty): void {
  INJECT[type](faulty, duration);
}

const INJECT: Readonly<Record<FaultType, (faulty: Faulty, duration: number) => void>> = {
  reset: ({ reply, sockets }) => sockets.reset(reply.request.raw.socket),
  close: ({ reply }) => reply.request.raw.socket.destroy(),
  hang: ({ reply, sockets }) => sockets.abandon(reply.request.raw.socket),
  truncate,
  malformed: ({ reply, answer, headers, sockets }) => {
    writeWhole(reply.raw, answer.status, headers, unparsable(answer.body));
    sockets.awaitDelivery(reply.raw);
  },
  dribble,
};

/** Writes a whole response directly, without Fastify. */
export function writeWhole(
  raw: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: Buffer,
): void {
  raw.writeHead(status, { ...headers, ...lengthOf(status, body) });
  raw.end(body);
}

/** The header with the length of the body; 204 and 304 have none. */
function lengthOf(status: number, body: Buffer): OutgoingHttpHeaders {
  return status === 204 || status === 304 ? {} : { 'content-length': body.length };
}

function truncate({ reply, answer, headers }: Faulty): void {
  const { raw, request } = reply;
  const { length } = answer.body;
  raw.writeHead(answer.status, { ...headers, 'content-length': Math.max(1, length) });
  raw.flushHeaders();
  raw.write(answer.body.subarray(0, length / 2), () => request.raw.socket.destroy());
}

/** Half of a body, followed by an unclosed bracket, so that it is never valid JSON. */
function unparsable(body: Buffer): Buffer {
  return Buffer.concat([body.subarray(0, body.length / 2), Buffer.from('}{')]);
}

/** Sends the first piece immediately and the last one at the end; a single piece at the end. */
function dribble({ reply, answer, headers, sockets }: Faulty, duration: number): void {
  const { raw } = reply;
  const { lifecycle } = reply.request;
  const { body, status } = answer;
  const count = Math.max(1, Math.min(PIECES, body.length));
  const interval = count === 1 ? duration : duration / (count - 1);
  const send = (index: number): void => {
    const end = (body.length * (index + 1)) / count;
    const piece = body.subarray((body.length * index) / count, end);
    if (index === count - 1) {
      raw.end(piece);
      sockets.awaitDelivery(raw);
      return;
    }
    raw.write(piece);
    lifecycle.after(interval, () => send(index + 1));
  };
  raw.writeHead(status, { ...headers, ...lengthOf(status, body) });
  raw.flushHeaders();
  if (count === 1) lifecycle.after(interval, () => send(0));
  else send(0);
}
