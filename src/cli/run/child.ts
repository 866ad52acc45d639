import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { endBy, RepeatedSignal } from '../signals.ts';

/** The result of a command. */
export interface Exit {
  /** Its exit code, as a shell reports it: 128 plus the number of the signal that ended it. */
  readonly code: number;
  /** The signal that ended it. */
  readonly signal?: NodeJS.Signals;
  /** The message if it could not be started. */
  readonly problem?: string;
}

/**
 * Runs a command to its end, with the terminal, the input and the outputs of this process.
 *
 * @param words the command and its arguments
 * @param relay passes signals on to the command
 */
export async function runChild(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  relay: SignalRelay,
): Promise<Exit> {
  const [command = '', ...args] = words;
  try {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...env } });
    relay.passTo(child);
    const [code, signal] = await once(child, 'exit');
    return signal === null ? { code } : killed(signal);
  } catch (error) {
    return notStarted(command, (error as NodeJS.ErrnoException).code);
  }
}

/** The result of a command that a signal ended. */
export function killed(signal: NodeJS.Signals): Exit {
  return { code: 128 + constants.signals[signal], signal };
}

/** The exit codes are those of shells: 127 for an unknown command, 126 if it cannot be executed. */
function notStarted(command: string, reason: string | undefined): Exit {
  const failed = `Failed to run ${command}`;
  if (reason === 'ENOENT') {
    const problem = `${failed}: there is no such program. Use a program on the PATH, or the path of a program.`;
    return { code: 127, problem };
  }
  const problem = `${failed}: it cannot be executed (${reason}). Make it executable for this user.`;
  return { code: 126, problem };
}

const RELAYED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** The signals that a terminal sends for its keys, to the command as well as to this process. */
const FROM_KEYS: readonly string[] = ['SIGINT', 'SIGQUIT'];

/**
 * Catches the signals that would end this process, and passes them on to a command. Before and
 * after the command, a second signal ends this process immediately.
 */
export class SignalRelay {
  readonly #isAtTerminal: boolean;
  readonly #repeated = new RepeatedSignal();
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    const isRepeated = this.#repeated.isRepeated();
    const child = this.#child;
    const isRunning = child !== undefined && child.exitCode === null && child.signalCode === null;
    if (isRunning) {
      if (!this.#isAtTerminal || !FROM_KEYS.includes(signal)) child.kill(signal);
    } else if (isRepeated) {
      this.end(signal);
    } else if (child === undefined) {
      this.early ??= signal;
    }
  };
  #child: ChildProcess | undefined;
  /** The first signal that arrived before the command started. */
  early: NodeJS.Signals | undefined;

  /** The functions to call before this process is ended immediately. */
  readonly cleanUps: (() => void)[] = [];

  /** Create it before anything else, so that no signal is missed. */
  constructor() {
    const { stdin, stdout, stderr } = process;
    this.#isAtTerminal = stdin.isTTY || stdout.isTTY || stderr.isTTY;
    for (const signal of RELAYED) process.on(signal, this.#onSignal);
  }

  /** Passes signals on to this command from now on. */
  passTo(child: ChildProcess): void {
    this.#child = child;
  }

  /** Cleans up and ends this process immediately. */
  end(signal: NodeJS.Signals): void {
    for (const cleanUp of this.cleanUps) cleanUp();
    endBy(signal);
  }

  /** Restores the default handling of signals. */
  release(): void {
    for (const signal of RELAYED) process.off(signal, this.#onSignal);
  }
}
