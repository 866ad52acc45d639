import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';
import { type LastAnswer, sendAndClose } from './last-answer.ts';

/** What the status is where it is not 400, by Node's code. */
const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What a listener does about what is no request. */
export interface UnreadableOptions {
  readonly connections: Connections;
  /**
   * Makes the answer to a request that could not be read.
   *
   * @param status 400, 408 or 431
   * @param cause Node's code, or `CONNECT`
   */
  readonly refuse: (status: number, cause: string) => LastAnswer;
  /**
   * Takes a CONNECT, behind the answers to what came before it, or gives what to answer.
   *
   * @default all are refused
   */
  readonly connect?: (
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
  ) => LastAnswer | undefined;
  /** Told of a connection that broke before or below HTTP, with Node's code. */
  readonly broken?: (socket: Socket, cause: string) => void;
}

/**
 * Answers what Node's HTTP parser refuses, behind the answers to what came before it on the same
 * connection, and closes the connection.
 */
export function answerUnreadable(server: Server, options: UnreadableOptions): void {
  const { connections, refuse, connect = () => refuse(400, 'CONNECT'), broken } = options;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const cause = error.code ?? error.name;
    if (!cause.startsWith('HPE_') && !Object.hasOwn(STATUS, cause)) {
      broken?.(socket, cause);
      socket.destroy();
      return;
    }
    if (socket.destroyed || socket.writableEnded) return;
    connections.breakOff(socket, error, () => {
      sendAndClose(socket, refuse(STATUS[cause] ?? 400, cause));
    });
  });
  server.on('connect', (request, duplex, head) => {
    const socket = duplex as Socket;
    // Node has taken its own listeners away, and the answers before this one may take a while.
    socket.on('error', () => socket.destroy());
    const error = new Error('CONNECT is not a request that is answered');
    connections.breakOff(socket, error, () => {
      const answer = connect(request, socket, head);
      if (answer !== undefined) sendAndClose(socket, answer);
    });
  });
}
