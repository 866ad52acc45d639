import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { DestinationStream } from 'pino';
import { clearTimeout, monotonicTime, setTimeout } from './timers.ts';

/** What log waits for an output that takes nothing, in bytes. What comes beyond is dropped. */
export const MOST_WAITING = 128 * 1024;

/** The least time that a close gives to a write that may be under way, in ms. */
export const LEAST_PATIENCE = 1000;

/** How long after a failure writing is tried again, in ms. */
const RETRY_AFTER = 100;

/**
 * What writes: sonic-boom, as `pino.destination()` makes it. It emits `drain` when all is written,
 * `drop` for a line that found no room, and `error` for a write that failed.
 */
export interface Destination extends DestinationStream {
  on(event: 'drain' | 'drop', listener: () => void): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** How a destination writes. */
export interface DestinationOptions {
  /** Whether a thread of Node's pool writes. @default false */
  readonly isThreaded?: boolean;
  /** Gives back what the destination holds. */
  readonly release?: () => void;
}

/**
 * Where log lines go. Whatever becomes of the output, nothing waits for it: lines that cannot be
 * written are kept as far as there is room, the others are dropped and counted.
 */
export class LogOutput implements DestinationStream {
  readonly #destination: Destination;
  readonly #options: DestinationOptions;
  #dropped = 0;
  #announced = 0;
  #isPending = false;
  #hasFailed = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;
  /** Called when all that waited is written, with how many lines were dropped until then. */
  onRecovery: ((dropped: number) => void) | undefined;

  /** @param destination keeps at most `MOST_WAITING` bytes, and does not try again by itself */
  constructor(destination: Destination, options: DestinationOptions = {}) {
    this.#destination = destination;
    this.#options = options;
    destination.on('drop', () => {
      this.#dropped++;
    });
    destination.on('error', () => {
      this.#hasFailed = true;
      this.#retryLater();
    });
    destination.on('drain', () => this.#drained());
  }

  /** How many lines were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes text; never throws. */
  write(text: string): void {
    if (this.#isClosed) return;
    this.#isPending = true;
    this.#destination.write(text);
  }

  /** Whether a write blocks a thread of Node's pool, for which the exit of the process waits. */
  get blocksExit(): boolean {
    return this.#options.isThreaded === true && this.#isPending && !this.#hasFailed;
  }

  /**
   * Waits until all is written, but not for a disk that is full, or for a reader that has gone.
   * Takes nothing from then on.
   *
   * @param until when it gives up, as `monotonicTime()` gives it, but not within a second
   */
  async close(until: number): Promise<void> {
    await this.#flush(until);
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#options.release?.();
  }

  #flush(until: number): Promise<void> {
    return new Promise((done) => {
      if (!this.#isPending) return done();
      const timer = setTimeout(done, patienceUntil(until));
      const end = () => {
        clearTimeout(timer);
        done();
      };
      this.#destination.on('drain', () => this.#isPending || end());
      this.#destination.on('error', ({ code }) => code === 'EAGAIN' || end());
      this.#tryAgain();
    });
  }

  #drained(): void {
    // sonic-boom emits it a tick later, when the next write may have failed.
    if (this.#hasFailed) return;
    this.#isPending = false;
    const unsaid = this.#dropped - this.#announced;
    this.#announced = this.#dropped;
    if (unsaid > 0) this.onRecovery?.(unsaid);
  }

  #retryLater(): void {
    if (this.#isClosed || this.#retry !== undefined) return;
    // A log that cannot be written does not keep the process running.
    this.#retry = setTimeout(() => this.#tryAgain(), RETRY_AFTER).unref();
  }

  #tryAgain(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    // sonic-boom writes what it has kept with the next text, which may be empty.
    this.write('');
  }
}

/**
 * Opens an output of this process for the log.
 *
 * Whoever writes to a pipe or a terminal that nobody reads is blocked: the main thread, or a thread
 * of Node's pool, and then even `process.exit()` waits for it. So these are opened once more, with
 * O_NONBLOCK. It is not set on the original, since it would hold for every process that shares it.
 * Writes are synchronous then, as those to files are, and nothing is lost at an exit.
 *
 * A socket cannot be opened again, nor can anything on macOS or Windows, or without the rights to
 * it. There a thread of Node's pool writes.
 *
 * @param fd its file descriptor
 */
export async function openLogOutput(fd: number): Promise<LogOutput> {
  const { pino } = await import('pino');
  const stats = fstatSync(fd);
  const canBlock = stats.isFIFO() || stats.isSocket() || isatty(fd);
  const reopened = canBlock ? reopen(fd) : undefined;
  const sync = !canBlock || reopened !== undefined;
  const destination = pino.destination({
    // Without `dest`, pino looks at process.stdout. With that, Node makes a socket non-blocking.
    ...(sync ? { dest: reopened ?? fd } : { fd }),
    sync,
    maxLength: MOST_WAITING,
    // sonic-boom's timer for this would keep the process running.
    retryEAGAIN: () => false,
  });
  // pino calls it at exit. While the output takes nothing, it does not return.
  destination.flushSync = () => {};
  // pino's listener stops writing for good where a reader has gone, and counts nothing.
  destination.removeAllListeners('error');
  return new LogOutput(destination, {
    isThreaded: !sync,
    ...(reopened !== undefined && { release: () => closeSync(reopened) }),
  });
}

/** How long to wait for log to be written until a time of `monotonicTime()`, in ms. */
export function patienceUntil(until: number): number {
  return Math.max(LEAST_PATIENCE, until - monotonicTime());
}

function reopen(fd: number): number | undefined {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return undefined;
  }
}
