#!/usr/bin/env node
import type { CommandName, Invocation } from './cli/arguments.ts';
import { parseArguments } from './cli/arguments.ts';
import { MomoMockError, type MomoMockErrorCode } from './errors.ts';
import { version } from './shipped.ts';

type Command = (invocation: Invocation) => Promise<number>;

/** Loaded when it is asked for, so that no command pays for another. */
const LOAD: Readonly<Record<CommandName, () => Promise<Command>>> = {
  serve: async () => (await import('./cli/serve.ts')).serve,
  cert: async () => (await import('./cli/cert.ts')).cert,
  health: async () => (await import('./cli/health.ts')).health,
  init: async () => (await import('./cli/init.ts')).init,
};

/** What is the caller's to mend in how the command was called. */
const USAGE_ERRORS: readonly MomoMockErrorCode[] = [
  'MOMO_MOCK_USAGE',
  'MOMO_MOCK_SETTINGS_INVALID',
];

async function main(): Promise<number> {
  const invocation = await parseArguments(process.argv.slice(2));
  const { command = 'serve', wants } = invocation;
  if (wants === 'version') {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  if (wants === 'help') {
    const { help } = await import('./cli/help.ts');
    process.stdout.write(help(invocation.command));
    return 0;
  }
  const run = await LOAD[command]();
  return await run(invocation);
}

function causeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const isFull = code === 'EMFILE' || code === 'ENFILE';
  return isFull
    ? `too many open files (${code}). Raise their limit (ulimit -n) to 128 or more.`
    : `a bug in momo-mock. ${error}`;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isKnown = error instanceof MomoMockError;
  const text = isKnown ? error.message : `Failed to run: ${causeOf(error)}`;
  process.stderr.write(`${text}\n`);
  process.exitCode = isKnown && USAGE_ERRORS.includes(error.code) ? 2 : 1;
}
