import { MomoMockError } from '../errors.ts';
import type { KeyEntry } from '../mock/accounts.ts';
import { DEFAULT_KEY, type KeySource, keyLines, readKeys } from './api-keys.ts';
import { check, type Values } from './check.ts';
import { nearest } from './nearest.ts';
import { flagOf, PREFIX, SETTINGS, type SettingName } from './settings.ts';
import { type Given, layer, type Sources } from './sources.ts';

/** The configuration: every setting's value, and the keys of all places read together. */
export interface Config extends Omit<Values, 'API_KEYS' | 'API_KEYS_FILE'> {
  readonly keys: readonly KeyEntry[];
  /** The keys are the documented one: none was configured. */
  readonly isDefaultKey: boolean;
}

/** Where the configuration comes from. */
export interface ConfigSources extends Sources {
  /**
   * How a setting that was given by a flag is called in a sentence.
   *
   * @default as the flag of the command
   */
  readonly nameFlag?: (name: SettingName) => string;
  /** @default true; `false` leaves the keys alone */
  readonly withKeys?: boolean;
  /** Reads the file of API_KEYS_FILE; `-` is standard input. */
  readonly readKeysFile: (path: string) => Promise<string>;
}

/**
 * Reads the configuration.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, with a sentence for each wrong setting
 */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const { values: given, unknown } = layer(sources);
  const { nameFlag = flagOf } = sources;
  const problems = await Promise.all(unknown.map(describeUnknown));
  const { values, wrong } = check(given);
  problems.push(
    ...wrong.map((name) =>
      describeWrong(name in sources.flags ? nameFlag(name) : PREFIX + name, name, given[name]),
    ),
  );
  if ((given.TLS_CERT_FILE === undefined) !== (given.TLS_KEY_FILE === undefined)) {
    problems.push(
      `Failed to read ${PREFIX}TLS_CERT_FILE and ${PREFIX}TLS_KEY_FILE: only one of them is set. Set both or neither.`,
    );
  }
  const sourcesOfKeys = sources.withKeys === false ? [] : await keySources(given, sources);
  const { keys, problems: keyProblems } = readKeys(sourcesOfKeys);
  problems.push(...keyProblems);
  if (problems.length > 0) {
    throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', problems.join('\n'));
  }
  const isDefaultKey = sourcesOfKeys.length === 0;
  return Object.freeze({
    ...values,
    keys: isDefaultKey ? [{ key: DEFAULT_KEY }] : keys,
    isDefaultKey,
  });
}

/** The places that hold keys. */
async function keySources(
  { API_KEYS: list, API_KEYS_FILE: file }: Given['values'],
  { readKeysFile }: ConfigSources,
): Promise<KeySource[]> {
  const found: KeySource[] = [];
  if (list !== undefined) {
    found.push({ name: `${PREFIX}API_KEYS`, entries: SETTINGS.API_KEYS.read(list) });
  }
  if (file === undefined) return found;
  const name = file === '-' ? 'the keys on standard input' : `${PREFIX}API_KEYS_FILE`;
  const entries = await readKeysFile(file).then(keyLines, (error) => error as Error);
  return [...found, { name, entries }];
}

async function describeUnknown(name: string): Promise<string> {
  const all = Object.keys(SETTINGS).map((setting) => PREFIX + setting);
  return `Failed to read ${name}: there is no such setting. Did you mean ${await nearest(name, all)}?`;
}

function describeWrong(place: string, name: SettingName, value: string | undefined): string {
  const shown = 'secret' in SETTINGS[name] ? 'it' : JSON.stringify(value);
  return `Failed to read ${place}: ${shown} is not allowed. Give ${SETTINGS[name].allowed}.`;
}
