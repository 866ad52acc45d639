import { type CommandOptions, type Ended, runCommand } from '../support/command.ts';

/**
 * Runs a script by `momo-mock run`, in Node, to its end.
 *
 * @param flags of `run`
 */
export function runNode(
  script: string,
  flags: readonly string[] = [],
  options: CommandOptions = {},
): Promise<Ended> {
  const type = script.includes('await') ? ['--input-type=module'] : [];
  return runCommand(['run', ...flags, '--', process.execPath, ...type, '-e', script], options);
}
