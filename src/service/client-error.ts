import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Double } from '../core/double.ts';
import type { Draft } from '../core/journal-entry.ts';
import type { Connections } from '../listener/connections.ts';
import type { Logger } from '../logger.ts';
import { noteConnection } from './note-connection.ts';
import { sendAndClose } from './send.ts';

/** What a request that never became one is answered with. */
const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What is needed to answer and to log. */
export interface ClientErrorOptions {
  readonly double: Double;
  readonly connections: Connections;
  readonly logger: Logger;
}

/** Answers what Node's HTTP parser refuses, and logs handshakes that were broken off. */
export function answerClientErrors(server: Server, options: ClientErrorOptions): void {
  const { double, connections, logger } = options;
  const note = (known: Partial<Draft>, cause: string): void =>
    noteConnection(double.journal, logger, known, cause);

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const code = error.code ?? error.name;
    const isHttp = code.startsWith('HPE_') || code in STATUS;
    if (!isHttp) {
      // With TLS 1.3 a client's refusal of the certificate comes after the server's handshake.
      if (code.startsWith('ERR_SSL_') || !connections.has(socket))
        note({ reason: 'tls-handshake' }, code);
      socket.destroy();
      return;
    }
    if (socket.destroyed || socket.writableEnded) return;
    // Bytes of an answer are under way: more would go into the middle of them.
    if (connections.isBusy(socket)) {
      socket.destroy();
      return;
    }
    const { answer, reason, source } = double.refuse('bad-request', STATUS[code] ?? 400);
    note({ reason, source, status: answer.status }, code);
    sendAndClose(socket, answer);
  });

  server.on('connect', (_request, socket: Socket) => {
    const { answer, reason, source } = double.refuse('bad-url', 400);
    note({ reason, source, status: answer.status }, 'CONNECT');
    sendAndClose(socket, answer);
  });
}
