import type { Server as HttpServer, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from '../timers.ts';
import { Connection } from './connection.ts';

/**
 * The open connections of a listener and the requests that run on them, for a graceful shutdown.
 * Node's `closeIdleConnections()` ignores connections that never sent a request, and those whose
 * last response ends after the call.
 */
export class Connections {
  readonly #open = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<Duplex, Connection>();
  readonly #pieceTimeout: number;
  readonly #waiting: (() => void)[] = [];
  #draining = false;

  /** @param pieceTimeout how long a client may take for the next chunk of an ended response, in ms */
  constructor(pieceTimeout: number) {
    this.#pieceTimeout = pieceTimeout;
  }

  track(server: HttpServer): void {
    const isSecure = server.listenerCount('secureConnection') > 0;
    // Each read or write on a socket restarts its timeout.
    server.setTimeout(this.#pieceTimeout, (socket: Socket) => {
      if (this.of(socket)?.isWaitingForClient) socket.destroy();
    });
    server.prependListener('connection', (raw: Socket) => this.#add(raw, isSecure));
    server.on('secureConnection', (socket: Socket) => {
      const connection = this.#open.get(peerOf(socket));
      if (connection === undefined) return;
      connection.carrier = socket;
      this.#bySocket.set(socket, connection);
    });
  }

  /** Wraps a request listener to count running requests. */
  counting(handle: RequestListener): RequestListener {
    return (request, response) => {
      const connection = this.of(request.socket);
      // A request that cannot get a response must not run.
      if (connection?.isEnding) return void request.resume();
      connection?.run(request, response);
      handle(request, response);
    };
  }

  get count(): number {
    return this.#open.size;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** The connection of a socket that can carry requests. With TLS, it can after the handshake. */
  of(socket: Duplex): Connection | undefined {
    return this.#bySocket.get(socket);
  }

  /** Stops tracking a connection that another listener takes over. */
  handOver(socket: Socket): void {
    this.#bySocket.delete(socket);
    this.#remove(peerOf(socket));
  }

  /** Resolves when all tracked connections are closed and all requests have ended. */
  async closed(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((done) => this.#waiting.push(done));
  }

  /**
   * Ends the open connections, so that the next request uses a new one. Busy connections are closed
   * when no request runs on them. Resolves when the clients have closed the idle ones too.
   */
  async retire(): Promise<void> {
    await Promise.all([...this.#open.values()].map((connection) => connection.retire()));
  }

  /** Closes each connection when no request runs on it, and cuts held responses. */
  drain(): void {
    this.#draining = true;
    for (const connection of this.#open.values()) connection.drain();
  }

  destroy(): void {
    for (const { raw } of this.#open.values()) raw.destroy();
  }

  #add(raw: Socket, isSecure: boolean): void {
    const connection = new Connection(raw, isSecure ? undefined : raw);
    const peer = peerOf(raw);
    this.#open.set(peer, connection);
    if (!isSecure) this.#bySocket.set(raw, connection);
    raw.once('close', () => {
      // Wait until Node has closed the response that used the socket.
      setImmediate(() => {
        connection.closeRunning();
        this.#remove(peer);
      });
    });
  }

  #remove(peer: string): void {
    this.#open.delete(peer);
    if (this.#open.size === 0) for (const done of this.#waiting.splice(0)) done();
  }
}

/** Identifies a connection. The TLS socket and the TCP socket below it have the same peer. */
function peerOf(socket: Socket): string {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}
