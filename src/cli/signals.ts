import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

/** The signals that ask a process to stop: from Ctrl-C, `kill`, and a closing terminal. */
const STOP = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The signals that a terminal sends to all of its processes when the user presses a key. */
const FROM_KEYS: readonly string[] = ['SIGINT', 'SIGQUIT'];

/** Under npm, one Ctrl-C arrives twice within this time, in ms: from the terminal and from npm. */
export const SAME_SIGNAL = 100;

const NPM_CHECK_INTERVAL_MS = 1000;

/**
 * Catches the signals that ask this process to stop. The first signal resolves `received`, and a
 * second one ends the process immediately. While a command runs, it gets the signals instead.
 */
export class StopSignals {
  readonly #caught: readonly NodeJS.Signals[];
  readonly #isAtTerminal: boolean;
  #firstAt: number | undefined;
  #npmCheck: NodeJS.Timeout | undefined;
  #resolve: ((signal: NodeJS.Signals) => void) | undefined;
  readonly received = new Promise<NodeJS.Signals>((resolve) => {
    this.#resolve = resolve;
  });

  /** The first signal that was not forwarded to a command. */
  first: NodeJS.Signals | undefined;

  command: ChildProcess | undefined;

  /** Called before this process ends immediately. */
  cleanUp: (() => void) | undefined;

  /**
   * Create it before anything else, so that it misses no signal.
   *
   * @param runsCommand whether this process only runs a command. It then leaves it to the command to notice
   *   the end of npm
   * @param catchesQuit whether to catch SIGQUIT, which would leave other processes behind
   */
  constructor({
    runsCommand = false,
    catchesQuit = runsCommand,
  }: { readonly runsCommand?: boolean; readonly catchesQuit?: boolean } = {}) {
    const { stdin, stdout, stderr } = process;
    this.#isAtTerminal = runsCommand && (stdin.isTTY || stdout.isTTY || stderr.isTTY);
    this.#caught = catchesQuit ? [...STOP, 'SIGQUIT'] : STOP;
    for (const signal of this.#caught) process.on(signal, this.#onSignal);
    if (!runsCommand && process.env.npm_command !== undefined) this.#stopWithNpm(process.ppid);
  }

  /**
   * Cleans up, and ends this process immediately by a signal, so that shells report the exit code
   * 128 plus its number. `process.exit()` would wait for Node's threads, which a disk, a named pipe
   * or the log's reader may block.
   */
  end(signal: NodeJS.Signals): never {
    this.cleanUp?.();
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // A signal does not end process 1, as in a container.
    process.exit(128 + constants.signals[signal]);
  }

  release(): void {
    for (const signal of this.#caught) process.off(signal, this.#onSignal);
    clearInterval(this.#npmCheck);
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#firstAt ??= performance.now();
    const isSecond = performance.now() - this.#firstAt > SAME_SIGNAL;
    const { command } = this;
    const isRunning = command?.exitCode === null && command.signalCode === null;
    if (isRunning) {
      const hasIt = this.#isAtTerminal && FROM_KEYS.includes(signal);
      if (!hasIt) command.kill(signal);
    } else if (isSecond) this.end(signal);
    else this.#stop(signal);
  };

  #stop(signal: NodeJS.Signals): void {
    this.first ??= signal;
    this.#resolve?.(signal);
  }

  /**
   * Treats the end of npm as SIGTERM. npm does not forward SIGTERM to the command of `npm start` or
   * `npx`, but only to the shell around it. The process then gets another parent.
   */
  #stopWithNpm(parent: number): void {
    this.#npmCheck = setInterval(() => {
      if (process.ppid !== parent) this.#stop('SIGTERM');
    }, NPM_CHECK_INTERVAL_MS).unref();
  }
}
