import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clearTimeout, setImmediate, setTimeout } from '../timers.ts';

/** How long a client may take to close a connection after the server ended it, in ms. */
const CLOSE_TIMEOUT = 1000;

export class Connection {
  /** The TCP socket, below TLS if there is TLS. */
  readonly raw: Socket;
  /** The socket that carries requests. With TLS, it is set after the handshake. */
  carrier: Socket | undefined;
  /** Resolves when the socket is closed and all requests have ended. */
  readonly closed: Promise<void>;
  /** Responses that are not closed yet, in the order of their requests. */
  readonly #running = new Set<ServerResponse>();
  #latest: IncomingMessage | undefined;
  /** Running responses that the mock itself delays. */
  readonly #held = new Set<ServerResponse>();
  /** Ends the connection after the running requests, because the input after them is not HTTP. */
  #last: (() => void) | undefined;
  #isRetired = false;
  #isDraining = false;
  #hasEnded = false;

  constructor(raw: Socket, carrier: Socket | undefined) {
    this.raw = raw;
    this.carrier = carrier;
    this.closed = new Promise((resolve) => {
      raw.once('close', () => {
        // Wait until Node has closed the response that used the socket.
        setImmediate(() => {
          this.#closeRunning();
          resolve();
        });
      });
    });
  }

  get #isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** It must receive an ended response, or send another request. Node limits the time for the first. */
  get isWaitingForClient(): boolean {
    const [first] = this.#running;
    return first === undefined ? this.#latest !== undefined : first.writableEnded;
  }

  /** Whether further requests get no response, so that they must not run. */
  get isEnding(): boolean {
    return this.#hasEnded || this.#last !== undefined;
  }

  /** Counts a request as running until its response emits `close`. */
  run(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#running.add(response);
    this.#latest = request;
    response.on('close', () => {
      this.#running.delete(response);
      this.#held.delete(response);
      if (!this.#isIdle) this.#cutHeld();
      else if (this.#last !== undefined) this.#last();
      else if (this.#isRetired) {
        this.#hasEnded = true;
        socket.destroySoon();
      }
    });
  }

  /**
   * Ends the connection after the responses to the running requests, because of input that is not
   * HTTP. If the input is in the body of a request, that request emits `error`.
   *
   * @param last called then if the input is not in a body and the socket is still writable
   */
  endAfterRunning(socket: Socket, error: Error, last: () => void): void {
    if (this.#last !== undefined) return;
    const latest = this.#latest;
    const isInBody = latest !== undefined && !latest.complete;
    this.#last = () => {
      if (isInBody) socket.destroySoon();
      else if (!socket.destroyed && !socket.writableEnded) last();
    };
    if (this.#isIdle) this.#last();
    // A client that ends in the middle of a request has left. Node does the same behind a whole one.
    else if (socket.readableEnded) socket.end();
    else if (isInBody && latest.listenerCount('error') > 0) latest.emit('error', error);
  }

  /**
   * Called before the head of a response is sent. The last response says so, or the client would send its
   * next request on this connection, and get no response.
   */
  announceEnd(response: ServerResponse, headers: OutgoingHttpHeaders): void {
    // After a response that says so itself, Node closes the connection.
    if (headers.connection === 'close') this.#hasEnded = true;
    if (!this.#isRetired || this.#last !== undefined) return;
    if ([...this.#running].at(-1) !== response) return;
    response.shouldKeepAlive = false;
    this.#hasEnded = true;
  }

  /** Marks a response as delayed by the mock itself, by a delay or a fault. A shutdown cuts it. */
  hold(response: ServerResponse): void {
    this.#held.add(response);
    this.#cutHeld();
  }

  release(response: ServerResponse): void {
    this.#held.delete(response);
  }

  /** Closes the connection as soon as no request runs. For an idle one, waits for the client's close. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.carrier === undefined || !this.#isIdle) return;
    const timer = setTimeout(() => this.raw.destroy(), CLOSE_TIMEOUT);
    this.#hasEnded = true;
    this.carrier.end();
    await this.closed;
    clearTimeout(timer);
  }

  /** Closes the connection as soon as no request runs, without waiting for a held response. */
  drain(): void {
    this.#isRetired = true;
    this.#isDraining = true;
    if (this.#isIdle) this.raw.destroy();
    else this.#cutHeld();
  }

  /** Node emits no `close` on a response that is queued behind another one. */
  #closeRunning(): void {
    for (const response of this.#running) {
      response.destroy();
      response.emit('close');
    }
  }

  /** During a shutdown, closes the connection if its next response is held: the others wait behind it. */
  #cutHeld(): void {
    const [next] = this.#running;
    if (this.#isDraining && next !== undefined && this.#held.has(next)) this.raw.destroy();
  }
}
