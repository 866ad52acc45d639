import type {
  Server as HttpServer,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Capacity } from './capacity.ts';

/** A connection, and the requests on it that still run. */
interface Connection {
  /** The TCP socket, below TLS where there is TLS. */
  readonly raw: Socket;
  /** The socket that carries requests: with TLS, once the handshake is done. */
  carrier: Socket | undefined;
  /** Responses that are not closed yet. */
  readonly running: Set<ServerResponse>;
  /** The last request that came. */
  latest: IncomingMessage | undefined;
  /** Ends the connection when no request runs: what came after them is no HTTP. */
  last: (() => void) | undefined;
  /** Its requests never get a response. */
  abandoned: boolean;
  /** To be closed when no request runs. */
  retired: boolean;
}

/** How long the other side may take to close a connection that was ended, in ms. */
const CLOSE_TIMEOUT = 1000;

/**
 * The open connections of a listener and the requests that run on them, for a graceful shutdown.
 * Node's own `closeIdleConnections()` passes over connections that never sent a request, and keeps
 * those whose last response ended after the call.
 */
export class Connections {
  readonly #open = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<Duplex, Connection>();
  readonly #capacity: Capacity;
  readonly #responseTimeout: number;
  readonly #waiting: (() => void)[] = [];
  #draining = false;

  /**
   * @param capacity connections beyond it are closed immediately
   * @param responseTimeout how long a client may take to receive the next piece of a response, in ms
   */
  constructor(capacity: Capacity, responseTimeout: number) {
    this.#capacity = capacity;
    this.#responseTimeout = responseTimeout;
  }

  /** Tracks the connections of a server from now on. */
  track(server: HttpServer): void {
    const isSecure = server.listenerCount('secureConnection') > 0;
    server.prependListener('connection', (raw: Socket) => {
      if (this.#capacity.admits(this.#open.size)) this.#add(raw, isSecure);
      else raw.destroy();
    });
    // Without a listener, a connection that Node could not accept would end the process.
    server.on('error', ({ syscall }: NodeJS.ErrnoException) => {
      if (syscall === 'accept') this.#capacity.turnedAway(this.#open.size);
    });
    server.on('secureConnection', (socket: Socket) => {
      const connection = this.#open.get(peerOf(socket));
      if (connection === undefined) return;
      connection.carrier = socket;
      this.#bySocket.set(socket, connection);
    });
  }

  /**
   * Wraps a request listener: each request runs until its response emits `close`. A response that
   * is still queued behind another when its socket dies gets no `close` from Node, so it gets one
   * here. Whoever listens to `close` is then called for every request.
   */
  counting(handle: RequestListener): RequestListener {
    return (request, response) => {
      const connection = this.#bySocket.get(request.socket);
      // A request that was on its way when its connection got the last response.
      if (connection?.last !== undefined) return void request.resume();
      if (connection !== undefined) this.#run(connection, request, response);
      handle(request, response);
    };
  }

  /** Closes the connection of a response that was ended if the client does not receive it in time. */
  awaitDelivery(response: ServerResponse): void {
    response.setTimeout(this.#responseTimeout);
  }

  /** Whether new connections are turned away because of a shutdown. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Whether a socket can carry requests: with TLS, once the handshake is done. */
  has(socket: Duplex): boolean {
    return this.#bySocket.has(socket);
  }

  /**
   * Ends a connection over which something came that is no HTTP, when the requests before it have
   * their responses. A request in whose body it is gets it as its `error`.
   *
   * @param last called then, where it is in no body
   */
  endAfterRunning(socket: Socket, error: Error, last: () => void): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return void socket.destroy();
    if (connection.last !== undefined) return;
    const { latest, running } = connection;
    const isInBody = latest !== undefined && !latest.complete;
    connection.last = isInBody ? () => socket.destroySoon() : last;
    if (running.size === 0) connection.last();
    else if (isInBody && latest.listenerCount('error') > 0) latest.emit('error', error);
  }

  /** Stops tracking a connection that another listener takes over. */
  release(socket: Socket): void {
    this.#bySocket.delete(socket);
    this.#remove(peerOf(socket));
  }

  /** Resolves when no tracked connection is open. */
  async closed(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((done) => this.#waiting.push(done));
  }

  /** Resets a connection (TCP RST). */
  reset(socket: Duplex): void {
    this.#bySocket.get(socket)?.raw.resetAndDestroy();
  }

  /** Leaves the requests of a connection without a response: a shutdown does not wait for them. */
  abandon(socket: Duplex): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    connection.abandoned = true;
    if (this.#draining) connection.raw.destroy();
  }

  /**
   * Ends the open connections, so that the next request comes over a new one. Resolves when the
   * other side has closed the idle ones too: then no client can use one of them for its next
   * request. Busy ones are closed when no request runs on them.
   */
  async retire(): Promise<void> {
    const closed = [...this.#open.values()].map(async (connection) => {
      const { raw, carrier, running } = connection;
      connection.retired = true;
      if (carrier === undefined || running.size > 0) return;
      await new Promise<void>((done) => {
        const timer = setTimeout(() => raw.destroy(), CLOSE_TIMEOUT);
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
   * Closes what is idle now, and the rest when no request runs on it. Call it after the server has
   * stopped listening.
   */
  drain(): void {
    this.#draining = true;
    for (const { raw, running, abandoned } of this.#open.values()) {
      if (running.size === 0 || abandoned) raw.destroy();
    }
  }

  /** Closes every connection immediately. */
  destroy(): void {
    for (const { raw } of this.#open.values()) raw.destroy();
  }

  #add(raw: Socket, isSecure: boolean): void {
    const connection: Connection = {
      raw,
      carrier: isSecure ? undefined : raw,
      running: new Set(),
      latest: undefined,
      last: undefined,
      abandoned: false,
      retired: false,
    };
    const peer = peerOf(raw);
    this.#open.set(peer, connection);
    if (!isSecure) this.#bySocket.set(raw, connection);
    raw.once('close', () => {
      // After Node has closed the response that had the socket.
      setImmediate(() => {
        closeQueued(connection);
        this.#remove(peer);
      });
    });
  }

  #remove(peer: string): void {
    this.#open.delete(peer);
    this.#capacity.ended(this.#open.size);
    if (this.#open.size === 0) for (const done of this.#waiting.splice(0)) done();
  }

  #run(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    connection.running.add(response);
    connection.latest = request;
    response.once('close', () => {
      connection.running.delete(response);
      const [next] = connection.running;
      // Node leaves the socket to the next response with the timeout of this one.
      if (next !== undefined) socket.setTimeout(next.writableEnded ? this.#responseTimeout : 0);
      else if (connection.last !== undefined) connection.last();
      else if (this.#draining || connection.retired) socket.destroySoon();
    });
  }
}

function closeQueued({ running }: Connection): void {
  for (const response of running) {
    response.destroy();
    response.emit('close');
  }
}

/** The two sockets of a TLS connection, the encrypted one and the one below, have the same peer. */
function peerOf(socket: Socket): string {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}
