import { parseArgs } from 'node:util';
import { nearest } from '../config/nearest.ts';
import { FLAG_SETTINGS, flagOf, SETTINGS, type SettingName } from '../config/settings.ts';
import { MomoMockError } from '../errors.ts';
import { type Assignment, readAssignment } from './run/assignment.ts';

/** The commands there are. The first is the one that needs no name. */
export const COMMANDS = ['serve', 'run', 'cert', 'health', 'init'] as const;

/** The name of a command. */
export type CommandName = (typeof COMMANDS)[number];

/** A command line, understood. */
export interface Invocation {
  /** Absent where none was named. */
  readonly command?: CommandName;
  /** What flags gave, by setting. */
  readonly flags: Readonly<Partial<Record<SettingName, string>>>;
  /** More names for the certificate, for `cert`. */
  readonly hosts: readonly string[];
  /** The folder that was named, for `init`. */
  readonly folder?: string;
  /** What `run` was told. */
  readonly run: RunOptions;
  readonly wants?: 'help' | 'version';
}

/** What `run` is told beside the settings. */
export interface RunOptions {
  /** The command to run and its arguments: what stands behind `--`. */
  readonly words: readonly string[];
  /** The variables to set for it. */
  readonly assignments: readonly Assignment[];
  /** Whether a mock that nobody asked anything is a failure. */
  readonly expectsRequests: boolean;
  /** Whether clients are led to the mock by the proxy. */
  readonly proxy: boolean;
}

/** The flags of `run` that are no settings. */
export const RUN_FLAGS: Readonly<Record<string, 'string' | 'boolean'>> = {
  '--set': 'string',
  '--expect-requests': 'boolean',
  '--proxy': 'boolean',
};

/** Flags that somebody may give to say a secret. */
const SECRET_FLAGS = /^--(api-?)?keys?$|token$/i;

/**
 * Understands the command line.
 *
 * @throws MomoMockError `MOMO_MOCK_USAGE`, with a sentence for each thing that is wrong; none
 *   repeats a value, which may be a key
 */
export async function parseArguments(args: readonly string[]): Promise<Invocation> {
  const { tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? args.length;
  const wordsOf = (part: typeof tokens): string[] =>
    part.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const command = COMMANDS.find((name) => name === wordsOf(tokens)[0]);
  const isRun = command === 'run';
  const words = wordsOf(isRun ? tokens.filter(({ index }) => index < end) : tokens);
  const behind = args.slice(end + 1);
  const known = [...FLAG_SETTINGS.map(flagOf), ...(isRun ? Object.keys(RUN_FLAGS) : [])];
  const problems: string[] = [];
  const assignments: Assignment[] = [];
  let expectsRequests = false;
  let proxy = false;
  const flags: Partial<Record<SettingName, string>> = {};
  const hosts: string[] = [];
  let wants: Invocation['wants'];

  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { rawName, value } = token;
    if (rawName === '--help' || rawName === '-h') wants = 'help';
    else if (rawName === '--version' || rawName === '-v') wants ??= 'version';
    else if (SECRET_FLAGS.test(rawName)) {
      problems.push(
        'Failed to read the command line: keys and tokens are never a flag, since process lists show flags. Set MOMO_MOCK_API_KEYS or MOMO_MOCK_CONTROL_TOKEN, or give --api-keys-file FILE (- is standard input).',
      );
    } else if (!known.includes(rawName)) {
      const guess = await nearest(rawName, [...known, '--help', '--version']);
      const shown = rawName.startsWith('--') ? rawName : 'a short flag';
      problems.push(
        `Failed to read the command line: there is no flag ${shown}. Did you mean ${guess}?`,
      );
    } else if (value === undefined ? !isSwitch(rawName) : isFlagInstead(token)) {
      problems.push(`Failed to read ${rawName}: its value is missing. Give one behind it.`);
    } else if (rawName === '--host' && command === 'cert') hosts.push(value ?? '');
    else if (rawName === '--expect-requests') expectsRequests = value !== 'false';
    else if (rawName === '--proxy') proxy = value !== 'false';
    else if (rawName === '--set') {
      const read = readAssignment(value ?? '');
      if (typeof read === 'string') problems.push(read);
      else assignments.push(read);
    } else flags[settingOf(rawName)] = value ?? 'true';
  }

  // Without --, the flags of the command to run were taken for flags of this one.
  if (isRun && behind.length === 0 && wants === undefined) problems.splice(0, Infinity, NO_COMMAND);
  // Behind an unknown flag, a word may be that flag's value.
  if (problems.length === 0) problems.push(...(await wordProblems(words, command)));
  if (problems.length > 0) {
    throw new MomoMockError('MOMO_MOCK_USAGE', [...new Set(problems)].join('\n'));
  }
  const folder = words[1];
  return {
    flags,
    hosts,
    run: { words: behind, assignments, expectsRequests, proxy },
    ...(command !== undefined && { command }),
    ...(folder !== undefined && { folder }),
    ...(wants !== undefined && { wants }),
  };
}

const NO_COMMAND =
  'Failed to read the command line: there is no command to run. Give it behind --, as in momo-mock run -- npm test.';

async function wordProblems(
  [first, ...more]: readonly string[],
  command: CommandName | undefined,
): Promise<string[]> {
  const failed = 'Failed to read the command line';
  if (first !== undefined && command === undefined) {
    const guess = await nearest(first, COMMANDS);
    const all = COMMANDS.join(', ');
    return [`${failed}: there is no such command. There are ${all}; did you mean ${guess}?`];
  }
  if (more.length <= (command === 'init' ? 1 : 0)) return [];
  return [`${failed}: ${command} takes fewer words. See momo-mock ${command} --help.`];
}

const OPTIONS = Object.fromEntries(
  [...FLAG_SETTINGS.map(flagOf), ...Object.keys(RUN_FLAGS)].map((flag) => [
    flag.slice(2),
    { type: isSwitch(flag) ? ('boolean' as const) : ('string' as const) },
  ]),
);

/** A flag that stands alone: `--strict-paths` is `--strict-paths=true`. */
function isSwitch(flag: string): boolean {
  if (flag in RUN_FLAGS) return RUN_FLAGS[flag] === 'boolean';
  const { schema } = SETTINGS[settingOf(flag)];
  return 'type' in schema && schema.type === 'boolean';
}

function isFlagInstead({ value, inlineValue }: { value?: string; inlineValue?: boolean }): boolean {
  return value === '' || (!inlineValue && value !== '-' && (value?.startsWith('-') ?? false));
}

function settingOf(flag: string): SettingName {
  return flag.slice(2).toUpperCase().replaceAll('-', '_') as SettingName;
}
