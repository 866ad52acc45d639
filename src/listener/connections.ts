import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A connection, and how many of its requests are not yet answered. */
interface Connection {
  /** The TCP socket, below TLS where there is TLS. */
  readonly raw: Socket;
  requests: number;
}

/**
 * The open connections of a listener, for a graceful shutdown. Node's own
 * `closeIdleConnections()` passes over those that never sent a request, and keeps those whose last
 * answer came after the call.
 */
export class Connections {
  readonly #open = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<Duplex, Connection>();
  #draining = false;

  /** Follows a server's connections from now on. */
  follow(server: HttpServer): void {
    server.prependListener('connection', (raw: Socket) => {
      const connection = { raw, requests: 0 };
      const peer = nameOf(raw);
      this.#open.set(peer, connection);
      this.#bySocket.set(raw, connection);
      raw.once('close', () => this.#open.delete(peer));
    });
    server.on('secureConnection', (socket: Socket) => {
      const connection = this.#open.get(nameOf(socket));
      if (connection !== undefined) this.#bySocket.set(socket, connection);
    });
    server.prependListener('request', (request, response) => this.#count(request, response));
  }

  /** Whether a socket can carry requests: with TLS, once the handshake is done. */
  has(socket: Duplex): boolean {
    return this.#bySocket.has(socket);
  }

  /** Whether a connection has a request that is not yet answered. */
  isBusy(socket: Duplex): boolean {
    return (this.#bySocket.get(socket)?.requests ?? 0) > 0;
  }

  /**
   * Closes what is idle now and the rest when it has been answered. To be called after the
   * server takes no new connections.
   */
  drain(): void {
    this.#draining = true;
    for (const { raw, requests } of this.#open.values()) if (requests === 0) raw.destroy();
  }

  /** Closes every connection at once. */
  destroy(): void {
    for (const { raw } of this.#open.values()) raw.destroy();
  }

  #count(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    connection.requests++;
    response.once('close', () => {
      connection.requests--;
      if (this.#draining && connection.requests === 0) socket.destroySoon();
    });
  }
}

/** The two sockets of a TLS connection, the encrypted and the one below, have the same peer. */
function nameOf(socket: Socket): string {
  return `${socket.localAddress} ${socket.remoteAddress} ${socket.remotePort}`;
}
