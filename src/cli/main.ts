import { fullDisk, MomoMockError, tooManyFiles } from '../errors.ts';
import { closestName } from '../mock/closest-name.ts';
import type { SettingTexts } from '../settings/load.ts';
import { version } from '../shipped/folders.ts';
import { type Command, inFlags, parseCommandLine, readStart, usageError } from './command-line.ts';
import { help } from './help.ts';

/** Each command is loaded only when it is used, to keep startup fast. */
const LOAD = {
  serve: async () => (await import('./serve.ts')).serve,
  run: async () => (await import('./run.ts')).run,
  drill: async () => (await import('./drill.ts')).drill,
  cert: async () => (await import('./cert.ts')).cert,
  health: async () => (await import('./health.ts')).health,
  init: async () => (await import('./init.ts')).init,
  check: async () => (await import('./check.ts')).check,
  record: async () => (await import('./record.ts')).record,
  settings: async () => (await import('./settings.ts')).settings,
};

export type CommandName = keyof typeof LOAD;

/** The first command is the default. */
export const COMMANDS = Object.keys(LOAD) as CommandName[];

/** Other names that users may try, for suggestions in error messages. */
const SYNONYMS: ReadonlyMap<string, CommandName> = new Map([
  ['start', 'serve'],
  ['server', 'serve'],
  ['up', 'serve'],
  ['exec', 'run'],
  ['certificate', 'cert'],
  ['status', 'health'],
  ['config', 'settings'],
  ['verify', 'check'],
  ['diff', 'check'],
  ['capture', 'record'],
]);

/** @returns the exit code: 0, 2 for wrong usage, 1 for a failure (3 for `check` and `record`) */
export async function main(args: readonly string[]): Promise<number> {
  let failure = 1;
  let flags: SettingTexts = {};
  try {
    if (readStart(args).wantsVersion) {
      process.stdout.write(`${version()}\n`);
      return 0;
    }
    const { name, command, line } = await readArguments(args);
    failure = command.failure ?? failure;
    flags = line.flags;
    if (!line.wantsHelp) return await command.run(line);
    process.stdout.write(help(name && command));
    return 0;
  } catch (error) {
    const isKnown = error instanceof MomoMockError;
    const text = isKnown ? inFlags(error.message, flags) : `Failed to run: ${causeOf(error)}`;
    process.stderr.write(`${text}\n`);
    const isUsage =
      isKnown && ['MOMO_MOCK_USAGE', 'MOMO_MOCK_SETTINGS_INVALID'].includes(error.code);
    return isUsage ? 2 : failure;
  }
}

export async function readArguments(given: readonly string[]) {
  // `momo-mock help run` means `momo-mock run --help`.
  const asksHelp = readStart(given).word === 'help';
  const args = asksHelp ? ['--help', ...given.toSpliced(given.indexOf('help'), 1)] : given;
  const { word } = readStart(args);
  const name = COMMANDS.find((known) => known === word);
  const command: Command = await LOAD[name ?? 'serve']();
  const line = parseCommandLine(args, command);
  if (word !== undefined && word !== 'help' && name === undefined) throw unknownCommand(word);
  const words = line.words.slice(1);
  if (words.length > (command.words ?? 0)) {
    const known = name ?? 'help';
    throw usageError(`${known} has too many arguments. See momo-mock ${known} --help.`);
  }
  return { name, command, line: { ...line, words } };
}

function unknownCommand(word: string): MomoMockError {
  // Anything else may be a key.
  const isShown = /^[a-z-]{1,20}$/i.test(word);
  const guess = SYNONYMS.get(word) ?? closestName(word, COMMANDS);
  const fix = guess
    ? `Did you mean ${guess}?`
    : `The commands are ${COMMANDS.join(', ')} and help.`;
  const text = `Unknown command${isShown ? ` "${word}"` : ''}. ${fix}`;
  return new MomoMockError('MOMO_MOCK_USAGE', text);
}

function causeOf(error: unknown): string {
  const system = error as NodeJS.ErrnoException;
  const cause = tooManyFiles(system.code)?.join('. ') ?? fullDisk(system);
  return cause ?? `a bug in momo-mock. ${error}`;
}
