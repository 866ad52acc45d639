import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { SignalRelay } from './signal-relay.ts';

/** How a command ended. */
export interface Exit {
  /** As a shell would say it: 128 and the signal's number where it was killed. */
  readonly code: number;
  /** The signal that it was killed by. */
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
    return refused((error as NodeJS.ErrnoException).code);
  }
}

/** How it ends where a signal came before there was a command. */
export function killed(signal: NodeJS.Signals): Exit {
  return { code: 128 + constants.signals[signal], signal };
}

/** As shells do: 127 where there is no such command, 126 where it cannot be executed. */
function refused(reason: string | undefined): Exit {
  const failed = 'Failed to run the command';
  if (reason === 'ENOENT') {
    const problem = `${failed}: there is no such program. Give the name of one that is on the PATH, or its path.`;
    return { code: 127, problem };
  }
  return {
    code: 126,
    problem: `${failed}: it cannot be executed (${reason}). Is it a program, and may this user run it?`,
  };
}
