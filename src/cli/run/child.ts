import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { StopSignals } from '../signals.ts';

export interface Exit {
  /** As shells report it: 128 plus the number of the signal that ended the command. */
  readonly code: number;
  readonly signal?: NodeJS.Signals;
  /** The error message if the command did not start. */
  readonly problem?: string;
}

export async function runChild(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  signals: StopSignals,
): Promise<Exit> {
  try {
    const child = spawn(command, args, { stdio: 'inherit', env });
    signals.command = child;
    const [code, signal] = await once(child, 'exit');
    return signal === null ? { code } : killed(signal);
  } catch (error) {
    return notStarted(command, (error as NodeJS.ErrnoException).code);
  }
}

export function killed(signal: NodeJS.Signals): Exit {
  return { code: 128 + constants.signals[signal], signal };
}

/** The exit codes of shells: 127 for an unknown command, 126 if it cannot be executed. */
function notStarted(command: string, reason: string | undefined): Exit {
  const [code, why] =
    reason === 'ENOENT'
      ? [127, 'there is no such program. Use a program on the PATH, or the path of a program.']
      : [126, `it cannot be executed (${reason}). Make it executable for this user.`];
  return { code, problem: `Failed to run ${command}: ${why}` };
}
