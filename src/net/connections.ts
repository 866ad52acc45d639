import type { Server as HttpServer, RequestListener } from 'node:http';
import { Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from '../timers.ts';
import { Connection } from './connection.ts';
import { handleExpectations } from './expect-header.ts';

/**
 * The open connections of a listener and the requests that run on them, for a graceful shutdown.
 * Node's `closeIdleConnections()` ignores connections that never sent a request, and those whose
 * last response ends after the call.
 */
export class Connections {
  readonly #open = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<Duplex, Connection>();
  draining = false;

  /**
   * Tracks the connections of a server, and passes its requests to `handle`.
   *
   * @param pieceTimeout how long a client may take for the next chunk of an ended response, in ms
   */
  track(server: HttpServer, pieceTimeout: number, handle: RequestListener): void {
    const isSecure = server.listenerCount('secureConnection') > 0;
    // Each read or write on a socket restarts its timeout.
    server.setTimeout(pieceTimeout, (socket: Socket) => {
      if (this.of(socket)?.isWaitingForClient) socket.destroy();
    });
    server.prependListener('connection', (raw: Socket) => this.#add(raw, isSecure));
    server.on('secureConnection', (socket: Socket) => {
      const connection = this.#open.get(peerOf(socket));
      if (connection === undefined) return;
      connection.carrier = socket;
      this.#bySocket.set(socket, connection);
    });
    const run: RequestListener = (request, response) => {
      const connection = this.of(request.socket);
      // A request that cannot get a response must not run.
      if (connection?.isEnding) return void request.resume();
      connection?.run(request, response);
      handle(request, response);
    };
    server.on('request', run);
    handleExpectations(server, run);
  }

  get count(): number {
    return this.#open.size;
  }

  /** The connection of a socket that can carry requests. With TLS, it can after the handshake. */
  of(socket: Duplex): Connection | undefined {
    return this.#bySocket.get(socket);
  }

  /** Stops tracking a connection that another listener takes over. */
  handOver(socket: Socket): void {
    this.#bySocket.delete(socket);
    this.#open.delete(peerOf(socket));
  }

  /**
   * Ends the open connections, so that the next request uses a new one. Busy connections are closed
   * when no request runs on them. Resolves when the clients have closed the idle ones too.
   */
  async retire(): Promise<void> {
    await Promise.all([...this.#open.values()].map((connection) => connection.retire()));
  }

  /**
   * Shuts the listener down gracefully: it accepts no new connections, closes idle ones, cuts held
   * responses, and lets other requests finish. After `deadline` ms, it closes what is still open.
   */
  async shutDown(servers: readonly Server[], deadline: number): Promise<void> {
    // The `close()` of HTTP servers, unlike the one of TCP servers, also closes connections that it
    // considers idle, although the end of a response may still be on its way.
    const stop = Server.prototype.close;
    const stopped = servers.map((server) => new Promise((done) => stop.call(server, done)));
    this.draining = true;
    const open = [...this.#open.values()];
    for (const connection of open) connection.drain();
    const timer = setTimeout(() => {
      for (const { raw } of open) raw.destroy();
    }, deadline);
    await Promise.all([...stopped, ...open.map(({ closed }) => closed)]);
    clearTimeout(timer);
    // All connections are closed. This ends the server's timers.
    for (const server of servers) server.close();
  }

  #add(raw: Socket, isSecure: boolean): void {
    const connection = new Connection(raw, isSecure ? undefined : raw);
    const peer = peerOf(raw);
    this.#open.set(peer, connection);
    if (!isSecure) this.#bySocket.set(raw, connection);
    void connection.closed.then(() => this.#open.delete(peer));
  }
}

/** Identifies a connection. The TLS socket and the TCP socket below it have the same peer. */
function peerOf(socket: Socket): string {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}

/** How long an idle connection stays open, in ms: longer than in clients, so that clients close first. */
export const KEEP_ALIVE = 75_000;
/** The maximum interval between two checks for slow requests, in ms. */
const CHECK_INTERVAL = 1000;

/** @param request how long the whole request may take, in ms */
export function serverTimeouts(headers: number, request = headers) {
  return {
    keepAliveTimeout: KEEP_ALIVE,
    headersTimeout: headers,
    requestTimeout: request,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL, headers),
  };
}
