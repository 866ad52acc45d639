import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { DestinationStream } from 'pino';
import { clearTimeout, monotonicTime, setImmediate, setTimeout } from '../timers.ts';

/** The maximum size of log lines that wait for a blocked output, in bytes. */
export const MAX_WAITING_BYTES = 128 * 1024;

/** The maximum size of the lines that one turn of the event loop writes together, in bytes. */
const MAX_GATHERED_BYTES = 16 * 1024;

/** How long `close` waits at least for a running write, in ms. */
const MIN_CLOSE_MS = 1000;

const RETRY_AFTER_MS = 100;

/**
 * The writer, sonic-boom from `pino.destination()`. It emits `drain` after everything is written,
 * `drop` when it drops lines, and `error` when a write fails.
 */
export interface Destination extends DestinationStream {
  on(event: 'drain' | 'drop', listener: () => void): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** The mock never waits for this output. Lines over `MAX_WAITING_BYTES` are dropped. */
export class LogOutput implements DestinationStream {
  readonly #destination: Destination;
  readonly #isThreaded: boolean;
  readonly #release: () => void;
  /**
   * The lines of this turn of the event loop, except the first. Writing each line separately would
   * cost more than the line itself.
   */
  #gathered = '';
  #isGathering = false;
  #hasDropped = false;
  #isPending = false;
  #hasFailed = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;
  /** Called after all waiting lines are written, if lines were dropped before. */
  onRecovery: (() => void) | undefined;

  /**
   * @param destination keeps at most `MAX_WAITING_BYTES` bytes, and does not retry on its own
   * @param isThreaded whether a thread of Node's pool writes
   */
  constructor(destination: Destination, { isThreaded = false, release = () => {} } = {}) {
    this.#destination = destination;
    this.#isThreaded = isThreaded;
    this.#release = release;
    destination.on('drop', () => {
      this.#hasDropped = true;
    });
    destination.on('error', () => {
      this.#hasFailed = true;
      this.#retryLater();
    });
    destination.on('drain', () => this.#drained());
  }

  /** Never throws. */
  write(text: string): void {
    if (this.#isClosed) return;
    this.#gathered += text;
    if (this.#isGathering && this.#gathered.length < MAX_GATHERED_BYTES) return;
    this.#writeGathered();
    if (this.#isGathering) return;
    this.#isGathering = true;
    setImmediate(() => {
      this.#isGathering = false;
      this.#writeGathered();
    });
  }

  #writeGathered(): void {
    const lines = this.#gathered;
    this.#gathered = '';
    if (lines === '') return;
    this.#isPending = true;
    this.#destination.write(lines);
  }

  /** Whether a write blocks a thread of Node's pool, so that the process cannot exit. */
  get blocksExit(): boolean {
    return this.#isThreaded && this.#isPending && !this.#hasFailed;
  }

  /**
   * Waits until everything is written, but not for a full disk or a reader that has left. Later
   * writes are ignored.
   *
   * @param until when to give up, as a value of `monotonicTime()`, but at least one second from now
   */
  async close(until: number): Promise<void> {
    await this.#flush(until);
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#release();
  }

  #flush(until: number): Promise<void> {
    this.#writeGathered();
    return new Promise((done) => {
      if (!this.#isPending) return done();
      const timer = setTimeout(done, Math.max(MIN_CLOSE_MS, until - monotonicTime()));
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
    // sonic-boom emits `drain` a tick later, when the next write may already have failed.
    if (this.#hasFailed) return;
    this.#isPending = false;
    if (!this.#hasDropped) return;
    this.#hasDropped = false;
    this.onRecovery?.();
  }

  #retryLater(): void {
    if (this.#isClosed || this.#retry !== undefined) return;
    // unref(), so that the retry does not keep the process running.
    this.#retry = setTimeout(() => this.#tryAgain(), RETRY_AFTER_MS).unref();
  }

  #tryAgain(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    // sonic-boom writes the waiting lines together with the next text, which may be empty.
    this.#destination.write('');
  }
}

/**
 * Opens an output of this process for the log.
 *
 * A write to a pipe or terminal that nobody reads blocks the main thread, or a thread of Node's
 * pool, which even `process.exit()` waits for. So this opens the output again with O_NONBLOCK. The
 * original stays unchanged, because other processes share it. Writes are then synchronous, as for
 * files, and nothing is lost at exit.
 *
 * This is impossible for sockets, on macOS and Windows, and without permission to open the output.
 * A thread of Node's pool writes then.
 */
export async function openLogOutput(fd: number): Promise<LogOutput> {
  const { pino } = await import('pino');
  const stats = fstatSync(fd);
  const canBlock = stats.isFIFO() || stats.isSocket() || isatty(fd);
  const reopened = canBlock ? reopen(fd) : undefined;
  const sync = !canBlock || reopened !== undefined;
  const destination = pino.destination({
    // Without `dest`, pino reads process.stdout, and Node then makes a socket non-blocking.
    ...(sync ? { dest: reopened ?? fd } : { fd }),
    sync,
    maxLength: MAX_WAITING_BYTES,
    // sonic-boom's retry timer would keep the process running.
    retryEAGAIN: () => false,
  });
  // pino calls it at exit, and it would not return while the output is blocked.
  destination.flushSync = () => {};
  // After a reader has left, pino's listener would stop all writing.
  destination.removeAllListeners('error');
  return new LogOutput(destination, {
    isThreaded: !sync,
    release: () => reopened !== undefined && closeSync(reopened),
  });
}

function reopen(fd: number): number | undefined {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return undefined;
  }
}
