import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Capacity } from './capacity.ts';

/** A connection, and how many of its requests are not yet answered. */
interface Connection {
  /** The TCP socket, below TLS where there is TLS. */
  readonly raw: Socket;
  /** The socket that requests come over, once there is one. */
  carrier: Socket | undefined;
  requests: number;
  /** The last request that came over it. */
  latest: IncomingMessage | undefined;
  /** Ends it, once its requests are answered: what came behind them is no HTTP. */
  last: (() => void) | undefined;
  /** Its requests will never be answered. */
  abandoned: boolean;
  /** To be closed as soon as its requests are answered. */
  retired: boolean;
}

/** How long the other side may take to close a connection that was ended, in ms. */
const PATIENCE = 1000;

/**
 * The open connections of a listener, for a graceful shutdown. Node's own
 * `closeIdleConnections()` passes over those that never sent a request, and keeps those whose last
 * answer came after the call.
 */
export class Connections {
  readonly #open = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<Duplex, Connection>();
  readonly #capacity: Capacity;
  readonly #waiting: (() => void)[] = [];
  #draining = false;

  /** @param capacity connections beyond it are closed at once */
  constructor(capacity: Capacity) {
    this.#capacity = capacity;
  }

  /** Follows a server's connections from now on. */
  follow(server: HttpServer): void {
    const isSecure = server.listenerCount('secureConnection') > 0;
    server.prependListener('connection', (raw: Socket) => {
      if (!this.#capacity.admits(this.#open.size)) {
        raw.destroy();
        return;
      }
      const carrier = isSecure ? undefined : raw;
      const connection: Connection = {
        raw,
        carrier,
        requests: 0,
        latest: undefined,
        last: undefined,
        abandoned: false,
        retired: false,
      };
      const peer = nameOf(raw);
      this.#open.set(peer, connection);
      if (carrier !== undefined) this.#bySocket.set(carrier, connection);
      raw.once('close', () => this.#ended(peer));
    });
    // With nobody to listen, a connection that Node could not accept would end the process.
    server.on('error', ({ syscall }: NodeJS.ErrnoException) => {
      if (syscall === 'accept') this.#capacity.turnedAway(this.#open.size);
    });
    server.on('secureConnection', (socket: Socket) => {
      const connection = this.#open.get(nameOf(socket));
      if (connection === undefined) return;
      connection.carrier = socket;
      this.#bySocket.set(socket, connection);
    });
    server.prependListener('request', (request, response) => this.#count(request, response));
  }

  /** Whether there is to be no new one. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Whether a socket can carry requests: with TLS, once the handshake is done. */
  has(socket: Duplex): boolean {
    return this.#bySocket.has(socket);
  }

  /**
   * Comes to the end of a connection over which something came that is no HTTP. The requests before
   * it are answered first. One whose body it is in gets it as its `error`.
   *
   * @param last called when they are answered, where it is in none of them
   */
  breakOff(socket: Socket, error: Error, last: () => void): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return void socket.destroy();
    if (connection.last !== undefined) return;
    const { latest, requests } = connection;
    const isInBody = latest !== undefined && !latest.complete;
    connection.last = isInBody ? () => socket.destroySoon() : last;
    if (requests === 0) connection.last();
    else if (isInBody && latest.listenerCount('error') > 0) latest.emit('error', error);
  }

  /** Follows a connection no more: another listener has it. */
  release(socket: Socket): void {
    this.#bySocket.delete(socket);
    this.#ended(nameOf(socket));
  }

  /** Resolves when none of those that it follows is open. */
  async closed(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((done) => this.#waiting.push(done));
  }

  /** Resets a connection (TCP RST). */
  reset(socket: Duplex): void {
    this.#bySocket.get(socket)?.raw.resetAndDestroy();
  }

  /** Leaves a connection's requests without an answer: a shutdown does not wait for them. */
  abandon(socket: Duplex): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    connection.abandoned = true;
    if (this.#draining) connection.raw.destroy();
  }

  /**
   * Ends the connections that there are, so that the next request comes over a new one. Resolves
   * when the idle ones are closed by the other side too: then no client takes one of them for its
   * next request. Busy ones are closed once they are answered.
   */
  async retire(): Promise<void> {
    const closed = [...this.#open.values()].map(async (connection) => {
      const { raw, carrier, requests } = connection;
      connection.retired = true;
      if (carrier === undefined || requests > 0) return;
      await new Promise<void>((done) => {
        const timer = setTimeout(() => raw.destroy(), PATIENCE);
        raw.once('close', () => {
          clearTimeout(timer);
          done();
        });
        carrier.end();
      });
    });
    await Promise.all(closed);
  }

  /**
   * Closes what is idle now and the rest when it has been answered. To be called after the
   * server takes no new connections.
   */
  drain(): void {
    this.#draining = true;
    for (const { raw, requests, abandoned } of this.#open.values()) {
      if (requests === 0 || abandoned) raw.destroy();
    }
  }

  /** Closes every connection at once. */
  destroy(): void {
    for (const { raw } of this.#open.values()) raw.destroy();
  }

  #ended(peer: string): void {
    this.#open.delete(peer);
    this.#capacity.ended(this.#open.size);
    if (this.#open.size === 0) for (const done of this.#waiting.splice(0)) done();
  }

  #count(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    connection.requests++;
    connection.latest = request;
    response.on('close', () => {
      connection.requests--;
      if (connection.requests > 0) return;
      if (connection.last !== undefined) connection.last();
      else if (this.#draining || connection.retired) socket.destroySoon();
    });
  }
}

/** The two sockets of a TLS connection, the encrypted and the one below, have the same peer. */
function nameOf(socket: Socket): string {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}
