import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { endBy, RepeatedSignal } from '../signals.ts';

/** How a command ended. */
export interface Exit {
  /** As a shell gives it: 128 and the signal's number where a signal ended it. */
  readonly code: number;
  /** The signal that ended it. */
  readonly signal?: NodeJS.Signals;
  /** A sentence where it could not be started. */
  readonly problem?: string;
}

/**
 * Runs a command to its end. It has this process's terminal and its input and outputs.
 *
 * @param words the command and its arguments
 * @param relay passes signals on to it
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

/** How it ends where a signal came before the command was started. */
export function killed(signal: NodeJS.Signals): Exit {
  return { code: 128 + constants.signals[signal], signal };
}

/** As shells do: 127 where there is no such command, 126 where it cannot be executed. */
function notStarted(command: string, reason: string | undefined): Exit {
  const failed = `Failed to run ${command}`;
  if (reason === 'ENOENT') {
    const problem = `${failed}: there is no such program. Give a program that is on the PATH, or the path of one.`;
    return { code: 127, problem };
  }
  const problem = `${failed}: it cannot be executed (${reason}). Make it executable for this user.`;
  return { code: 126, problem };
}

const RELAYED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** A terminal sends these for its keys, to the command as well as to this process. */
const FROM_KEYS: readonly string[] = ['SIGINT', 'SIGQUIT'];

/**
 * Catches the signals that would end this process, and passes them on to a command. Before the
 * command runs and after it, a second one ends this process immediately.
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
  /** The first signal that came before the command was started. */
  early: NodeJS.Signals | undefined;

  /** What is done before this process is ended immediately. */
  readonly cleanUps: (() => void)[] = [];

  /** Made before anything else, so that no signal is missed. */
  constructor() {
    const { stdin, stdout, stderr } = process;
    this.#isAtTerminal = stdin.isTTY || stdout.isTTY || stderr.isTTY;
    for (const signal of RELAYED) process.on(signal, this.#onSignal);
  }

  /** Passes signals on to this command from now on. */
  passTo(child: ChildProcess): void {
    this.#child = child;
  }

  /** Cleans up, and ends this process immediately. */
  end(signal: NodeJS.Signals): void {
    for (const cleanUp of this.cleanUps) cleanUp();
    endBy(signal);
  }

  /** Leaves signals to their default again. */
  release(): void {
    for (const signal of RELAYED) process.off(signal, this.#onSignal);
  }
}
