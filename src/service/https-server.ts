import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Server as NetServer, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { logRequest } from '../log/logger.ts';
import { RequestRecord } from '../mock/journal/record.ts';
import { handshakeHint, leftHint } from '../mock/requests/reason.ts';
import { errorResponse } from '../mock/responses/http-response.ts';
import { limitConnections } from '../net/capacity.ts';
import { handleClientErrors } from '../net/client-error.ts';
import { Connections, serverTimeouts } from '../net/connections.ts';
import { listenableHost, urlHost } from '../net/host.ts';
import { listen } from '../net/listen.ts';
import { detectProtocol } from '../net/protocol-detection.ts';
import { sendAndClose } from '../net/raw-response.ts';
import type { ClientSocket, Service } from './request.ts';

/** A certificate chain and its private key, as PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** `clientTimeout` is also the limit for a handshake and for a piece of a response. */
export interface HttpsServerOptions extends Pick<Service, 'mock' | 'clientTimeout' | 'logger'> {
  readonly identity: TlsIdentity;
  /** Whether this process starts the clients, with variables that make them trust the certificate. */
  readonly startsClients: boolean;
}

/** Seen in the field: clients that offer only HTTP/1.0, such as `curl --http1.0`. */
const ALPNProtocols = ['http/1.1', 'http/1.0'];
/**
 * No root certificates, because the service never asks for client certificates. By default, Node 20
 * reads all of its own, which takes at least a tenth of the startup time.
 */
const ca: string[] = [];
/** The service's share of the process's connections. The control API has the rest. */
const CONNECTION_SHARE = 0.75;

/** The HTTPS server below the application, which can be replaced while the server listens. */
export class HttpsServer {
  readonly connections = new Connections();
  /** The base URL for clients, such as `https://localhost:8443`; empty until it listens. */
  url = '';
  readonly #options: HttpsServerOptions;
  readonly #server: Server;
  #handle: RequestListener = (_request, response) => void response.destroy();
  #tlsMode = 'normal';
  #servers: readonly NetServer[] = [];

  constructor(options: HttpsServerOptions) {
    const { clientTimeout, identity } = options;
    this.#options = options;
    const timeouts = {
      handshakeTimeout: clientTimeout,
      // The application responds to late bodies. This limit is for bodies that it does not wait for.
      ...serverTimeouts(clientTimeout, 3 * clientTimeout),
    };
    // The application checks the host header, so that the response comes from the fixtures.
    const http = { ALPNProtocols, requireHostHeader: false, ...timeouts };
    this.#server = createServer({ ...identity, ca, ...http });
    detectProtocol(
      this.#server,
      clientTimeout,
      (socket) => this.#rejectPlainHttp(socket),
      (socket: ClientSocket) => {
        socket.tlsMode = this.#tlsMode;
      },
    );
    this.connections.track(this.#server, clientTimeout, (request, response) =>
      this.#handle(request, response),
    );
    this.#server.on('secureConnection', (socket: ClientSocket) => {
      // Another mode may have been set during the handshake.
      const raw: ClientSocket | undefined = this.connections.of(socket)?.raw;
      socket.tlsMode = raw?.tlsMode ?? this.#tlsMode;
      if (socket.tlsMode !== 'normal') socket.once('close', () => this.#journalLeft(socket));
    });
    handleClientErrors(this.#server, {
      connections: this.connections,
      respond: (status, cause) => {
        const reason = cause === 'CONNECT' ? 'bad-url' : 'bad-request';
        this.#journal({ reason, source: 'error', status }, cause);
        return errorResponse(options.mock.tree.errors, status);
      },
      onBroken: (socket: ClientSocket, cause) => {
        // With TLS 1.3, a client rejects the certificate after the server's handshake.
        if (cause.startsWith('ERR_SSL_') || this.connections.of(socket) === undefined) {
          const hint = handshakeHint(cause, options.startsClients);
          this.#journal({ reason: 'tls-handshake', tls: socket.tlsMode ?? null }, cause, hint);
        }
      },
    });
  }

  /** Passes new requests to an application. Running requests stay with the previous one. */
  serve(app: FastifyInstance): void {
    this.#handle = app.routing;
  }

  /** @returns the port */
  async listen(requestedHost: string, requestedPort: number): Promise<number> {
    const setting = { host: 'MOMO_MOCK_HOST', port: 'MOMO_MOCK_PORT' };
    const host = await listenableHost(requestedHost);
    const server = this.#server;
    const { servers, port } = await listen({ server, host, port: requestedPort, setting });
    limitConnections(servers, CONNECTION_SHARE, 'service', (text) =>
      this.#options.logger.warn(text),
    );
    this.#servers = servers;
    this.url = `https://${urlHost(host)}:${port}`;
    return port;
  }

  /** Sets the certificate and key for new connections, and closes the others after their requests. */
  async setIdentity(identity: TlsIdentity, mode: string): Promise<void> {
    this.#tlsMode = mode;
    this.#server.setSecureContext({ ...identity, ca });
    await this.connections.retire();
  }

  /** Serves a connection of another listener, starting with its first byte. */
  accept(connection: Socket): void {
    if (this.connections.draining) connection.destroy();
    else this.#server.emit('connection', connection);
  }

  async close(deadline: number): Promise<void> {
    await this.connections.shutDown(this.#servers, deadline);
  }

  #rejectPlainHttp(socket: Socket): void {
    this.#journal({ reason: 'plain-http', status: 400 });
    const text = `This port speaks HTTPS only. Use ${this.url} as the base URL.\n`;
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    sendAndClose(socket, { status: 400, headers, body: Buffer.from(text) });
  }

  /**
   * Adds a client to the journal that left after the handshake, before it sent anything. curl and PHP
   * check the host name then, and refuse the certificate without an alert.
   */
  #journalLeft(socket: ClientSocket): void {
    const { tlsMode = '', bytesRead, readableEnded } = socket;
    const error: NodeJS.ErrnoException | null = socket.errored;
    const isByClient = readableEnded || error !== null;
    const isEndedByMock = this.connections.of(socket)?.isEnding;
    if (bytesRead > 0 || !isByClient || isEndedByMock) return;
    this.#journal({ reason: 'tls-handshake', tls: tlsMode }, error?.code, leftHint(tlsMode));
  }

  /** Adds a connection without a request to the journal and the log. */
  #journal(fields: Partial<RequestRecord>, cause?: string, hint?: string): void {
    const { mock, logger } = this.#options;
    const record = Object.assign(new RequestRecord({ method: null, headers: {} }), fields);
    if (hint !== undefined) record.give(hint, mock.redactor);
    mock.journals.requests.add(record);
    mock.journals.requests.end(record);
    logRequest(logger, record, cause);
  }
}
