import { type ParseArgsConfig, parseArgs } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { FLAG_SETTINGS, flagOf, SETTINGS, type SettingName } from '../config/settings.ts';
import type { SettingTexts } from '../config/sources.ts';
import { MomoMockError } from '../errors.ts';

/** Flags, as `parseArgs` takes them. */
type FlagOptions = NonNullable<ParseArgsConfig['options']>;

/** A flag of one command. */
export interface CommandFlag {
  readonly type: 'string' | 'boolean';
  /** Whether it can be given several times. @default false */
  readonly multiple?: boolean;
  /** What its value is called in the help, such as `FILE`; none for a `boolean`. */
  readonly value?: string;
  /** What it does, one line of the help. */
  readonly about: string;
}

/** A command: its help, how it is called, and what it does. */
export interface Command {
  /** How it is called, such as `momo-mock init [DIR]`. */
  readonly usage: string;
  /** What it does, as paragraphs. */
  readonly about: string;
  /** Command lines that can be typed as they stand. */
  readonly examples: readonly string[];
  /** Whether settings can be given to it as flags. @default true */
  readonly takesSettings?: boolean;
  /** Its flags beside those of the settings. */
  readonly options?: Readonly<Record<string, CommandFlag>>;
  /** How many words it takes behind its name. @default 0 */
  readonly words?: number;
  /** Whether another command, which it runs, stands behind `--`. @default false */
  readonly runsAnother?: boolean;
  /** Does it. @returns the exit code */
  readonly run: (line: CommandLine) => Promise<number>;
}

/** A command line, understood. */
export interface CommandLine {
  /** The settings that flags give. */
  readonly flags: SettingTexts;
  /** What the command's other flags give, in order; one that stands alone gives `true`. */
  readonly options: Readonly<Record<string, readonly string[]>>;
  /** All words that are no flags; the first is the command's name, where one is given. */
  readonly words: readonly string[];
  /** What stands behind `--`. */
  readonly behind: readonly string[];
  readonly wantsHelp: boolean;
}

const HELP_FLAGS = ['--help', '-h'];
const VERSION_FLAGS = ['--version', '-v'];

/** Flags by which somebody may try to give a secret. */
const SECRET_FLAGS = /^--(api-?)?keys?$|token$/i;

/** The flags of the settings. One that is true or false can stand alone. */
const SETTING_OPTIONS: FlagOptions = Object.fromEntries(
  FLAG_SETTINGS.map((name) => {
    const { schema } = SETTINGS[name];
    const isSwitch = 'type' in schema && schema.type === 'boolean';
    return [flagOf(name).slice(2), { type: isSwitch ? 'boolean' : 'string' }];
  }),
);

/** What can be read of a command line before its command is known. */
export function readStart(args: readonly string[]): {
  /** The first word that is no flag: the name of a command, if anything. */
  readonly word: string | undefined;
  readonly wantsVersion: boolean;
} {
  const { positionals, tokens } = parse(args, SETTING_OPTIONS);
  return { word: positionals[0], wantsVersion: hasFlag(tokens, VERSION_FLAGS) };
}

/**
 * Reads the command line of a command.
 *
 * @throws MomoMockError `MOMO_MOCK_USAGE`, with a sentence for each thing that is wrong; none
 *   repeats a value, which may be a key
 */
export function parseCommandLine(args: readonly string[], command: Command): CommandLine {
  const own: FlagOptions = command.options ?? {};
  const known = { ...(command.takesSettings === false ? {} : SETTING_OPTIONS), ...own };
  const { tokens, values } = parse(args, known);
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? args.length;
  const behind = args.slice(end + 1);
  const given = tokens.filter((token) => token.kind === 'option');
  const wantsHelp = hasFlag(tokens, HELP_FLAGS);
  // Without --, the flags of the command to run would be taken for flags of this one.
  if (command.runsAnother && behind.length === 0 && !wantsHelp) {
    throw usageError(
      'there is no command to run. Give it behind --, as in momo-mock run -- npm test.',
    );
  }
  const problems = new Set(given.flatMap((flag) => problemOf(flag, known) ?? []));
  if (problems.size > 0) throw new MomoMockError('MOMO_MOCK_USAGE', [...problems].join('\n'));
  const flags: Partial<Record<SettingName, string>> = {};
  for (const setting of FLAG_SETTINGS) {
    const name = flagOf(setting).slice(2);
    if (values[name] !== undefined) flags[setting] = String(values[name]);
  }
  return {
    flags,
    options: Object.fromEntries(
      Object.keys(own).map((name) => [name, [values[name] ?? []].flat().map(String)]),
    ),
    words: tokens
      .filter((token) => token.kind === 'positional')
      .filter(({ index }) => index < end || !command.runsAnother)
      .map(({ value }) => value),
    behind,
    wantsHelp,
  };
}

/** What is thrown for a command line that cannot be understood. */
export function usageError(problem: string): MomoMockError {
  return new MomoMockError('MOMO_MOCK_USAGE', `Failed to read the command line: ${problem}`);
}

function parse(args: readonly string[], options: FlagOptions) {
  return parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
}

type Token = ReturnType<typeof parse>['tokens'][number];

function hasFlag(tokens: readonly Token[], names: readonly string[]): boolean {
  return tokens.some((token) => token.kind === 'option' && names.includes(token.rawName));
}

/** A sentence about a flag that cannot be understood. */
function problemOf(
  { name, rawName, value, inlineValue }: Extract<Token, { kind: 'option' }>,
  known: FlagOptions,
): string | undefined {
  if ([...HELP_FLAGS, ...VERSION_FLAGS].includes(rawName)) return undefined;
  const failed = 'Failed to read the command line';
  if (SECRET_FLAGS.test(rawName)) {
    return `${failed}: keys and tokens are never a flag, since process lists show flags. Set MOMO_MOCK_API_KEYS or MOMO_MOCK_CONTROL_TOKEN, or give --api-keys-file FILE (- is standard input).`;
  }
  const option = rawName.startsWith('--') && Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) {
    const names = [...Object.keys(known), 'help', 'version'].map((one) => `--${one}`);
    const shown = rawName.startsWith('--') ? rawName : 'a short flag';
    return `${failed}: there is no flag ${shown}. Did you mean ${closest(rawName, names)}?`;
  }
  const isNextFlag = !inlineValue && value !== '-' && value?.startsWith('-');
  const isMissing = value === undefined ? option.type === 'string' : value === '' || isNextFlag;
  return isMissing
    ? `Failed to read ${rawName}: its value is missing. Give one behind it.`
    : undefined;
}
