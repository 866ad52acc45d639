import { constants } from 'node:os';

/** The signals that ask a process to stop: from Ctrl-C, `kill`, and a terminal that closes. */
const STOP = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Under npm, one Ctrl-C arrives twice within this time, in ms: from the terminal and from npm. */
export const SAME_SIGNAL = 100;

/** Detects a second signal. Signals within `SAME_SIGNAL` of the first count as the same one. */
export class RepeatedSignal {
  #first: number | undefined;

  /** @returns whether an earlier signal was a separate one */
  isRepeated(): boolean {
    if (this.#first === undefined) this.#first = performance.now();
    return performance.now() - this.#first > SAME_SIGNAL;
  }
}

/** How often the mock looks whether its npm is still there, in ms. */
const LOOK = 1000;

/**
 * Waits for a signal that asks to stop. A second one ends the process immediately. Where npm has
 * started the process, the end of npm counts as SIGTERM: npm passes no SIGTERM on to a command of
 * `npm start` or `npx`, only to the shell around it.
 */
export class StopSignal {
  readonly #repeated = new RepeatedSignal();
  #stop: ((signal: NodeJS.Signals) => void) | undefined;
  #watch: NodeJS.Timeout | undefined;
  /** Resolves with the first signal. */
  readonly received = new Promise<NodeJS.Signals>((stop) => {
    this.#stop = stop;
  });

  /** Create it before anything else, so that a stop during the start is graceful too. */
  constructor() {
    for (const signal of STOP) process.on(signal, this.#onSignal);
    if (process.env.npm_command !== undefined) this.#stopAfter(process.ppid);
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#repeated.isRepeated()) endBy(signal);
    this.#stop?.(signal);
  };

  /** Restores the default handling of signals. */
  release(): void {
    for (const signal of STOP) process.off(signal, this.#onSignal);
    clearInterval(this.#watch);
  }

  /** Stops when this process has another parent, because the one it had has ended. */
  #stopAfter(parent: number): void {
    this.#watch = setInterval(() => {
      if (process.ppid !== parent) this.#stop?.('SIGTERM');
    }, LOOK).unref();
  }
}

/**
 * Ends the process immediately by a signal; shells report the exit code 128 plus its number.
 * `process.exit()` would wait for Node's threads, which may be blocked by a disk, a named pipe or
 * the reader of the log.
 */
export function endBy(signal: NodeJS.Signals): never {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // A signal does not end process 1, as in a container.
  process.exit(128 + constants.signals[signal]);
}
