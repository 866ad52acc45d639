import { type ParseArgsConfig, parseArgs } from 'node:util';
import { MomoMockError } from '../errors.ts';
import { closestName } from '../mock/closest-name.ts';
import type { SettingTexts } from '../settings/load.ts';
import {
  FLAG_SETTINGS,
  flagOf,
  SETTINGS,
  type SettingName,
  withNames,
} from '../settings/settings.ts';

type FlagOptions = NonNullable<ParseArgsConfig['options']>;

export interface CommandFlag {
  /** Whether the flag can be repeated. @default false */
  readonly multiple?: boolean;
  /** The name of its value in the help, such as `FILE`. @default none: the flag is a switch */
  readonly value?: string;
  readonly about: string;
}

export interface Command {
  readonly usage: string;
  readonly about: string;
  readonly examples: readonly string[];
  /** Whether it has flags for the settings. @default true */
  readonly takesSettings?: boolean;
  readonly options?: Readonly<Record<string, CommandFlag>>;
  /** The maximum number of words after its name. @default 0 */
  readonly words?: number;
  /** Whether it runs another command, which follows `--`. @default false */
  readonly runsAnother?: boolean;
  /** The exit code for an error other than wrong usage. @default 1 */
  readonly failure?: number;
  /** @returns the exit code */
  readonly run: (line: CommandLine) => Promise<number>;
}

export interface CommandLine {
  readonly flags: SettingTexts;
  /** The values of the command's own flags, in order; `true` for a flag without a value. */
  readonly options: Readonly<Record<string, readonly string[]>>;
  /** Including the command's name. */
  readonly words: readonly string[];
  /** The arguments after `--`. */
  readonly behind: readonly string[];
  readonly wantsHelp: boolean;
}

const HELP_OPTIONS: FlagOptions = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
};

/** Flags of other programs, and what does the same here. */
const OTHER_FLAGS: ReadonlyMap<string, string> = new Map([
  ['verbose', '--log-level debug'],
  ['debug', '--log-level debug'],
  ['quiet', '--log-level warn'],
  ['silent', '--log-level silent'],
]);

const SECRET_FLAGS = /^--(api-?|real-?)?keys?$|token$/i;

const SETTING_OPTIONS: FlagOptions = Object.fromEntries(
  FLAG_SETTINGS.map((name) => {
    const { schema } = SETTINGS[name];
    const isSwitch = 'type' in schema && schema.type === 'boolean';
    return [flagOf(name).slice(2), { type: isSwitch ? 'boolean' : 'string' }];
  }),
);

function flagOptions(flags: Readonly<Record<string, CommandFlag>>): FlagOptions {
  const options = Object.entries(flags).map(([name, { value, multiple = false }]) => {
    const type = value === undefined ? 'boolean' : 'string';
    return [name, { type, multiple }] as const;
  });
  return Object.fromEntries(options);
}

/** What can be read before the command is known: the first word, which should name it. */
export function readStart(args: readonly string[]) {
  const { positionals, values } = parse(args, { ...SETTING_OPTIONS, ...HELP_OPTIONS });
  return { word: positionals[0], wantsVersion: values.version !== undefined };
}

/** @throws MomoMockError `MOMO_MOCK_USAGE`; no message repeats a value, which may be a key */
export function parseCommandLine(args: readonly string[], command: Command): CommandLine {
  const { options = {}, takesSettings = true, runsAnother = false } = command;
  const known = { ...(takesSettings && SETTING_OPTIONS), ...flagOptions(options), ...HELP_OPTIONS };
  const { positionals, tokens, values } = parse(args, known);
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? args.length;
  const behind = args.slice(end + 1);
  const optionTokens = tokens.filter((token) => token.kind === 'option');
  const wantsHelp = values.help !== undefined;
  // Without --, momo-mock would read the other command's flags as its own.
  if (runsAnother && behind.length === 0 && !wantsHelp) {
    throw usageError(
      'the command to run is missing. Write it after --, as in momo-mock run -- npm test.',
    );
  }
  const problems = new Set(
    optionTokens.flatMap((flag) => flagProblem(flag, optionTokens, known) ?? []),
  );
  if (problems.size > 0) throw new MomoMockError('MOMO_MOCK_USAGE', [...problems].join('\n'));
  const flags: Partial<Record<SettingName, string>> = {};
  for (const setting of FLAG_SETTINGS) {
    const name = flagOf(setting).slice(2);
    if (values[name] !== undefined) flags[setting] = String(values[name]);
  }
  return {
    flags,
    options: Object.fromEntries(
      Object.keys(options).map((name) => [name, [values[name] ?? []].flat().map(String)]),
    ),
    words: runsAnother ? positionals.slice(0, positionals.length - behind.length) : positionals,
    behind,
    wantsHelp,
  };
}

export function isOn({ options }: CommandLine, name: string): boolean {
  return (options[name]?.at(-1) ?? 'false') !== 'false';
}

/** A message that names the settings that the user set with flags by their flags. */
export function inFlags(message: string, flags: SettingTexts): string {
  return withNames(message, (name) => (name in flags ? flagOf(name) : undefined));
}

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

type OptionToken = Extract<ReturnType<typeof parse>['tokens'][number], { kind: 'option' }>;

function flagProblem(
  { name, rawName, index, value, inlineValue }: OptionToken,
  optionTokens: readonly OptionToken[],
  known: FlagOptions,
): string | undefined {
  if (SECRET_FLAGS.test(rawName)) {
    return `Failed to read the command line: keys and tokens have no flag, because process lists show flags. Set MOMO_MOCK_API_KEYS, MOMO_MOCK_REAL_KEY or MOMO_MOCK_CONTROL_TOKEN, or use --api-keys-file or --real-key-file (- reads standard input).`;
  }
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) {
    if (!rawName.startsWith('--')) {
      return 'Unknown short flag. Write all flags but -h and -v in full, such as --port.';
    }
    const guess = closestName(name, Object.keys(known));
    const other = 'log-level' in known ? OTHER_FLAGS.get(name) : undefined;
    const meant = other ?? (guess && `--${guess}`);
    const fix = meant
      ? `Did you mean ${meant}?`
      : 'See momo-mock help COMMAND and momo-mock settings.';
    return `Unknown flag ${rawName}. ${fix}`;
  }
  const isNextFlag = !inlineValue && value !== '-' && value?.startsWith('-');
  const isMissing = value === undefined ? option.type === 'string' : value === '' || isNextFlag;
  if (isMissing) return `Failed to read ${rawName}: its value is missing. Write a value after it.`;
  const takesOne = option.type === 'string' && !option.multiple;
  return takesOne && optionTokens.some((other) => other.name === name && other.index !== index)
    ? `Failed to read ${rawName}: it is given more than once, and takes one value. Use it once.`
    : undefined;
}
