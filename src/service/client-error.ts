import type { Server } from 'node:https';
import type { Logger } from '../logger.ts';
import type { JournalRecord } from '../mock/journal-record.ts';
import type { Mock } from '../mock/mock.ts';
import type { Connections } from '../net/connections.ts';
import { answerUnreadable } from '../net/unreadable.ts';
import { noteConnection } from './note-connection.ts';

/** What is needed to answer and to log. */
export interface ClientErrorOptions {
  readonly mock: Mock;
  readonly connections: Connections;
  readonly logger: Logger;
}

/** Answers what never became a request, and logs handshakes that were broken off. */
export function answerClientErrors(server: Server, options: ClientErrorOptions): void {
  const { mock, connections, logger } = options;
  const note = (known: Partial<JournalRecord>, cause: string): void =>
    noteConnection(mock.journal, logger, known, cause);

  answerUnreadable(server, {
    connections,
    refuse: (status, cause) => {
      const why = cause === 'CONNECT' ? 'bad-url' : 'bad-request';
      const { answer, reason, source } = mock.refuse(why, status);
      note({ reason, source, status: answer.status }, cause);
      return answer;
    },
    broken: (socket, cause) => {
      // With TLS 1.3 a client's refusal of the certificate comes after the server's handshake.
      if (cause.startsWith('ERR_SSL_') || !connections.has(socket)) {
        note({ reason: 'tls-handshake' }, cause);
      }
    },
  });
}
