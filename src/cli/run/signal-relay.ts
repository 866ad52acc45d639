import type { ChildProcess } from 'node:child_process';

const RELAYED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** What a terminal sends for keys, to the command as well as to this process. */
const FROM_KEYS: readonly string[] = ['SIGINT', 'SIGQUIT'];

/** Takes the signals that would end this process, and passes them on to a command. */
export class SignalRelay {
  readonly #isAtTerminal: boolean;
  readonly #take = (signal: NodeJS.Signals): void => {
    if (this.#child === undefined) this.early ??= signal;
    else if (!this.#isAtTerminal || !FROM_KEYS.includes(signal)) this.#child.kill(signal);
  };
  #child: ChildProcess | undefined;
  /** The first signal that came before there was a command. */
  early: NodeJS.Signals | undefined;

  /** To be made before anything else, so that no signal is missed. */
  constructor() {
    const { stdin, stdout, stderr } = process;
    this.#isAtTerminal = stdin.isTTY || stdout.isTTY || stderr.isTTY;
    for (const signal of RELAYED) process.on(signal, this.#take);
  }

  /** Says which command they are passed on to from now on. */
  passTo(child: ChildProcess): void {
    this.#child = child;
  }

  /** Leaves signals to do what they do. */
  release(): void {
    for (const signal of RELAYED) process.off(signal, this.#take);
  }
}
