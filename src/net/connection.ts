import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clearTimeout, setTimeout } from '../timers.ts';

/** How long the other side may take to close a connection that was ended, in ms. */
const CLOSE_TIMEOUT = 1000;

/** A connection of a listener, and the requests that run on it. */
export class Connection {
  /** The TCP socket, below TLS where there is TLS. */
  readonly raw: Socket;
  /** The socket that carries requests: with TLS, once the handshake is done. */
  carrier: Socket | undefined;
  readonly #responseTimeout: number;
  /** Responses that are not closed yet, in the order of their requests. */
  readonly #running = new Set<ServerResponse>();
  /** The last request that came. */
  #latest: IncomingMessage | undefined;
  /** Ends the connection when no request runs: what came after them is no HTTP. */
  #last: (() => void) | undefined;
  #isAbandoned = false;
  #isRetired = false;

  /** @param responseTimeout how long a client may take to receive a piece of a response, in ms */
  constructor(raw: Socket, carrier: Socket | undefined, responseTimeout: number) {
    this.raw = raw;
    this.carrier = carrier;
    this.#responseTimeout = responseTimeout;
  }

  /** Whether no request runs on it. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Whether its requests never get a response, so that nothing waits for them. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Whether it gets no more responses than those that run. */
  get isEnding(): boolean {
    return this.#last !== undefined;
  }

  /** Counts a request as running until its response emits `close`. */
  run(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#running.add(response);
    this.#latest = request;
    response.once('close', () => {
      this.#running.delete(response);
      const [next] = this.#running;
      // Node leaves the socket to the next response with the timeout of this one.
      if (next !== undefined) socket.setTimeout(next.writableEnded ? this.#responseTimeout : 0);
      else if (this.#last !== undefined) this.#last();
      else if (this.#isRetired) socket.destroySoon();
    });
  }

  /**
   * Ends the connection when the running requests have their responses, because of input that is no
   * HTTP. A request in whose body the input is gets it as its `error`.
   *
   * @param last called then, where the input is in no body and the socket can still be written to
   */
  endAfterRunning(socket: Socket, error: Error, last: () => void): void {
    if (this.#last !== undefined) return;
    const latest = this.#latest;
    const isInBody = latest !== undefined && !latest.complete;
    this.#last = () => {
      if (isInBody) socket.destroySoon();
      else if (!socket.destroyed && !socket.writableEnded) last();
    };
    if (this.#running.size === 0) this.#last();
    else if (isInBody && latest.listenerCount('error') > 0) latest.emit('error', error);
  }

  /** Leaves its requests without a response. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Closes the connection as soon as a request ends and no other runs. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Ends an idle connection. Resolves when the other side has closed it too, or its time is over. */
  async end(carrier: Socket): Promise<void> {
    await new Promise<void>((done) => {
      const timer = setTimeout(() => this.raw.destroy(), CLOSE_TIMEOUT);
      this.raw.once('close', () => {
        clearTimeout(timer);
        done();
      });
      carrier.end();
    });
  }

  /**
   * Closes the responses that are left when the socket is closed. Node emits no `close` on a response
   * that is still queued behind another one.
   */
  closeRunning(): void {
    for (const response of this.#running) {
      response.destroy();
      response.emit('close');
    }
  }
}
