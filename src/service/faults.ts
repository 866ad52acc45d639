import type { OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer } from '../mock/answer.ts';
import type { FaultType, ReadFault } from '../mock/fault.ts';
import type { ServiceRequest } from './service-request.ts';

/** The functions for sockets that faults need. */
export interface FaultySockets {
  /** Resets a connection (TCP RST). */
  reset(socket: Socket): void;
  /** Marks the requests of a connection as never getting a response. */
  abandon(socket: Socket): void;
}

/** A request, and the response to break. */
export interface Faulty {
  readonly request: ServiceRequest;
  readonly answer: Answer;
  /** All headers of the response. */
  readonly headers: OutgoingHttpHeaders;
  readonly sockets: FaultySockets;
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
  reset: ({ request, sockets }) => sockets.reset(request.raw.socket),
  close: ({ request }) => request.raw.socket.destroy(),
  hang: ({ request, sockets }) => sockets.abandon(request.raw.socket),
  truncate,
  malformed: ({ request: { response }, answer, headers }) => {
    const body = unparsable(answer.body);
    response.writeHead(answer.status, { ...headers, ...lengthOf(answer.status, body) });
    response.end(body);
  },
  dribble,
};

/** The header with the length of the body; 204 and 304 have none. */
export function lengthOf(status: number, body: Buffer): OutgoingHttpHeaders {
  return status === 204 || status === 304 ? {} : { 'content-length': body.length };
}

function truncate({ request: { raw, response }, answer, headers }: Faulty): void {
  const { length } = answer.body;
  response.writeHead(answer.status, { ...headers, 'content-length': Math.max(1, length) });
  response.flushHeaders();
  response.write(answer.body.subarray(0, length / 2), () => raw.socket.destroy());
}

/** Half of a body, followed by an unclosed bracket, so that it is never valid JSON. */
function unparsable(body: Buffer): Buffer {
  return Buffer.concat([body.subarray(0, body.length / 2), Buffer.from('}{')]);
}

/** Sends the first piece immediately and the last one at the end; a single piece at the end. */
function dribble({ request, answer, headers }: Faulty, duration: number): void {
  const { response } = request;
  const { body, status } = answer;
  const count = Math.max(1, Math.min(PIECES, body.length));
  const interval = count === 1 ? duration : duration / (count - 1);
  const send = (index: number): void => {
    const end = (body.length * (index + 1)) / count;
    const piece = body.subarray((body.length * index) / count, end);
    if (index === count - 1) {
      response.end(piece);
      return;
    }
    response.write(piece);
    request.after(interval, () => send(index + 1));
  };
  response.writeHead(status, headers);
  response.flushHeaders();
  if (count === 1) request.after(interval, () => send(0));
  else send(0);
}
