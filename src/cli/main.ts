import { MomoMockError, type MomoMockErrorCode, tooManyFiles } from '../errors.ts';
import { version } from '../shipped.ts';
import type { CommandName, Invocation } from './arguments.ts';
import { parseArguments } from './arguments.ts';

type Command = (invocation: Invocation) => Promise<number>;

/** Loaded when it is asked for, so that no command pays for another. */
const LOAD: Readonly<Record<CommandName, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  run: async () => (await import('./run.ts')).run,
  cert: async () => (await import('./cert.ts')).cert,
  health: async () => (await import('./health.ts')).health,
  init: async () => (await import('./init.ts')).init,
};

/** What is the caller's to mend in how the command was called. */
const USAGE_ERRORS: readonly MomoMockErrorCode[] = [
  'MOMO_MOCK_USAGE',
  'MOMO_MOCK_SETTINGS_INVALID',
];

/**
 * Runs the command.
 *
 * @param args what stands behind its name
 * @returns the exit code: 0, 1 for what failed, 2 for what was called wrongly
 */
export async function main(args: readonly string[]): Promise<number> {
  try {
    return await perform(args);
  } catch (error) {
    const isKnown = error instanceof MomoMockError;
    const text = isKnown ? error.message : `Failed to run: ${causeOf(error)}`;
    process.stderr.write(`${text}\n`);
    return isKnown && USAGE_ERRORS.includes(error.code) ? 2 : 1;
  }
}

async function perform(args: readonly string[]): Promise<number> {
  const invocation = await parseArguments(args);
  const { command = 'serve', wants } = invocation;
  if (wants === 'version') {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  if (wants === 'help') {
    const { help } = await import('./help.ts');
    process.stdout.write(help(invocation.command));
    return 0;
  }
  const run = await LOAD[command]();
  return await run(invocation);
}

function causeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return tooManyFiles(code)?.join('. ') ?? `a bug in momo-mock. ${error}`;
}
