import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Logger } from '../logger.ts';
import type { Mock } from '../mock/mock.ts';
import { bind } from '../net/bind.ts';
import { capacityOf } from '../net/capacity.ts';
import { Connections } from '../net/connections.ts';
import { hostHere } from '../net/host-here.ts';
import { sendAndClose } from '../net/last-answer.ts';
import { requestLimits } from '../net/limits.ts';
import { shutDown } from '../net/shutdown.ts';
import { urlHost } from '../net/url.ts';
import { answerClientErrors } from './client-error.ts';
import { Cors, type CorsOrigin } from './cors.ts';
import { exchange } from './exchange.ts';
import { divertPlainHttp } from './first-byte.ts';
import { noteConnection } from './note-connection.ts';
import { Session } from './session.ts';

/** PEM of a certificate, with what signed it, and of its key. */
export interface Credentials {
  readonly cert: string;
  readonly key: string;
}

/** What the service needs to listen. */
export interface ServiceOptions {
  readonly host: string;
  readonly port: number;
  /** What TLS is served with at the start. */
  readonly credentials: Credentials;
  readonly corsOrigin: CorsOrigin;
  /** How long a client may take for each step, from its handshake to a piece of an answer, in ms. */
  readonly clientTimeout: number;
  readonly mock: Mock;
  readonly logger: Logger;
}

/** The service, listening. */
export interface Service {
  /** The base URL for clients, such as `https://localhost:8443`. */
  readonly url: string;
  readonly port: number;
  /**
   * Serves TLS with something else from now on. Connections that there are come to their end.
   *
   * @param mode what the journal calls it
   */
  setCredentials(credentials: Credentials, mode: string): Promise<void>;
  /** Serves a connection that came in by another listener, from its first byte on. */
  take(connection: Socket): void;
  /**
   * Graceful shutdown.
   *
   * @param deadline in ms; what is still open then is cut
   */
  close(deadline: number): Promise<void>;
}

/** Seen in the field: clients that offer HTTP/1.0 alone, such as `curl --http1.0`. */
const ALPNProtocols = ['http/1.1', 'http/1.0'];
/** In ms. Longer than clients keep idle connections, so that they close and not the service. */
const KEEP_ALIVE = 75_000;
/** Its part of the connections that this process can have; the control API's is the rest. */
const SHARE = 0.75;

/**
 * Starts the service: HTTPS, and a clear word for who speaks plain HTTP to it.
 *
 * @throws MomoMockError `MOMO_MOCK_PORT_IN_USE`, `MOMO_MOCK_LISTEN_FAILED`
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { credentials, clientTimeout, mock, logger } = options;
  const warn = (sentence: string) => logger.warn(sentence);
  const host = await hostHere(options.host);
  const capacity = capacityOf(SHARE, 'service', warn);
  const connections = new Connections(capacity);
  const cors = new Cors(options.corsOrigin);
  const sessions = new WeakMap<Socket, Session>();
  let mode = 'normal';
  const sessionOf = (socket: Socket) => sessions.get(socket) ?? new Session(mode);
  const parts = { mock, cors, connections, sessionOf, clientTimeout, logger };
  const handle = exchange(parts);
  let url = '';

  const refusePlainHttp = (socket: Socket): void => {
    noteConnection(mock.journal, logger, { reason: 'plain-http', status: 400 });
    const text = `This port speaks HTTPS only. Use ${url} as the base URL.\n`;
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    sendAndClose(socket, { status: 400, headers, body: Buffer.from(text) });
  };
  const create = (): Server => {
    const timeouts = {
      handshakeTimeout: clientTimeout,
      keepAliveTimeout: KEEP_ALIVE,
      // A body that is late is answered by the exchange; this is for one that nobody waits for.
      ...requestLimits(clientTimeout, 3 * clientTimeout),
    };
    // The host header is demanded by the exchange, in the shape of the fixtures.
    const server = createServer(
      { ...credentials, ALPNProtocols, requireHostHeader: false, ...timeouts },
      handle,
    );
    server.on('checkExpectation', handle);
    divertPlainHttp(server, clientTimeout, refusePlainHttp);
    connections.follow(server);
    server.on('secureConnection', (socket) => sessions.set(socket, new Session(mode)));
    answerClientErrors(server, { mock, connections, logger });
    return server;
  };

  const setting = { host: 'MOMO_MOCK_HOST', port: 'MOMO_MOCK_PORT' };
  const { server, servers, port } = await bind({ host, port: options.port, setting, create });
  url = `https://${urlHost(host)}:${port}`;
  return {
    url,
    port,
    setCredentials: async (other, name) => {
      mode = name;
      server.setSecureContext(other);
      await connections.retire();
    },
    take: (connection) => {
      if (connections.draining) connection.destroy();
      else server.emit('connection', connection);
    },
    close: (deadline) => shutDown(servers, connections, deadline),
  };
}
