import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Answer } from '../mock/answer.ts';
import type { FaultType, ReadFault } from '../mock/fault.ts';
import type { Connections } from '../net/connections.ts';
import { headersOf, send } from './send.ts';

/** What a fault is done to. */
export interface Broken {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly answer: Answer;
  /** Headers beside those of the answer. */
  readonly more: OutgoingHttpHeaders;
  readonly connections: Connections;
}

/** In how many pieces a body dribbles, at most. */
const PIECES = 10;

/** Whether a fault leaves the client without any answer. */
export function isSilent({ type }: ReadFault): boolean {
  return type === 'reset' || type === 'close' || type === 'hang';
}

/** Breaks an answer on the wire. */
export function performFault({ type, duration }: ReadFault, broken: Broken): void {
  PERFORM[type](broken, duration);
}

const PERFORM: Readonly<Record<FaultType, (broken: Broken, duration: number) => void>> = {
  reset: ({ incoming, connections }) => connections.reset(incoming.socket),
  close: ({ incoming }) => incoming.socket.destroy(),
  hang: ({ incoming, connections }) => connections.abandon(incoming.socket),
  truncate: ({ incoming, outgoing, answer, more }) => {
    const { length } = answer.body;
    const headers = { ...headersOf(answer, more), 'content-length': Math.max(1, length) };
    outgoing.writeHead(answer.status, headers);
    outgoing.flushHeaders();
    outgoing.write(answer.body.subarray(0, length / 2), () => incoming.socket.destroy());
  },
  malformed: ({ outgoing, answer, more }) =>
    send(outgoing, { ...answer, body: unparsable(answer.body) }, more),
  dribble,
};

/** Half of a body, and a bracket that is never closed: no JSON, whatever it was. */
function unparsable(body: Buffer): Buffer {
  return Buffer.concat([body.subarray(0, body.length / 2), Buffer.from('}{')]);
}

function dribble({ outgoing, answer, more }: Broken, duration: number): void {
  const { body, status } = answer;
  const count = Math.max(1, Math.min(PIECES, body.length));
  const piece = (index: number) =>
    body.subarray((body.length * index) / count, (body.length * (index + 1)) / count);
  outgoing.writeHead(status, headersOf(answer, more));
  outgoing.flushHeaders();
  let sent = 0;
  const next = (): void => {
    const last = sent === count - 1;
    if (last) outgoing.end(piece(sent));
    else outgoing.write(piece(sent));
    sent++;
    if (!last) wait();
  };
  // The first piece at once and the last at the end; a single one at the end.
  const wait = (): void => {
    timer = setTimeout(next, count === 1 ? duration : duration / (count - 1));
  };
  let timer: NodeJS.Timeout | undefined;
  outgoing.once('close', () => clearTimeout(timer));
  if (count === 1) wait();
  else next();
}
