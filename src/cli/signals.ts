import { constants } from 'node:os';

/** Signals that ask a process to stop: Ctrl-C, `kill`, and a terminal that is closed. */
const STOP = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Under npm, one Ctrl-C arrives twice: from the terminal, and from npm, within this time in ms. */
export const SAME_SIGNAL = 100;

/** Tells a signal that comes again from the first one. */
export class RepeatedSignal {
  #first: number | undefined;

  /** @returns whether another signal came before this one */
  isRepeated(): boolean {
    if (this.#first === undefined) this.#first = performance.now();
    return performance.now() - this.#first > SAME_SIGNAL;
  }
}

/** Waits for a signal that asks to stop; a second one ends the process immediately. */
export class StopSignal {
  readonly #repeated = new RepeatedSignal();
  #stop: ((signal: NodeJS.Signals) => void) | undefined;
  /** Resolves with the first signal. */
  readonly received = new Promise<NodeJS.Signals>((stop) => {
    this.#stop = stop;
  });

  /** Made before anything else, so that a stop during the start is graceful too. */
  constructor() {
    for (const signal of STOP) process.on(signal, this.#onSignal);
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#repeated.isRepeated()) endBy(signal);
    this.#stop?.(signal);
  };

  /** Leaves signals to their default again. */
  release(): void {
    for (const signal of STOP) process.off(signal, this.#onSignal);
  }
}

/**
 * Ends the process immediately, by a signal: shells give the exit code 128 and its number.
 * `process.exit()` would wait for Node's threads, and one of them may wait for a disk, a named pipe
 * or the reader of the log.
 */
export function endBy(signal: NodeJS.Signals): never {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Process 1, as in a container, is not ended by its own signal.
  process.exit(128 + constants.signals[signal]);
}
