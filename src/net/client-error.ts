import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';
import { type RawResponse, sendAndClose } from './raw-response.ts';

/** The statuses other than 400, by Node's error code. */
const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

interface ClientErrorOptions {
  readonly connections: Connections;
  /** @param cause Node's error code, or `CONNECT` */
  readonly respond: (status: number, cause: string) => RawResponse;
  /** Accepts a CONNECT, or returns an error response. @default every CONNECT gets an error response */
  readonly connect?: (
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
  ) => RawResponse | undefined;
  /** Called with Node's error code for a connection that failed before or below HTTP. */
  readonly onBroken?: (socket: Socket, cause: string) => void;
}

/**
 * Responds to input that the HTTP parser rejects, and to CONNECT, which Node does not pass to request
 * listeners: after the responses to earlier requests on the connection. Then it closes the connection.
 */
export function handleClientErrors(server: Server, options: ClientErrorOptions): void {
  const { connections, respond, connect = () => respond(400, 'CONNECT'), onBroken } = options;
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket;
    const cause = error.code ?? error.name;
    if (!cause.startsWith('HPE_') && !Object.hasOwn(STATUS, cause)) {
      onBroken?.(socket, cause);
      socket.destroy();
      return;
    }
    connections.of(socket)?.endAfterRunning(socket, error, () => {
      sendAndClose(socket, respond(STATUS[cause] ?? 400, cause));
    });
  });
  server.on('connect', (request, duplex, head) => {
    const socket = duplex as Socket;
    // Needed while earlier responses are sent, because Node has removed its own listeners.
    socket.on('error', () => socket.destroy());
    const error = new Error('CONNECT is not a request that has a response');
    connections.of(socket)?.endAfterRunning(socket, error, () => {
      const response = connect(request, socket, head);
      if (response !== undefined) sendAndClose(socket, response);
    });
  });
}
