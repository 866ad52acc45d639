import { MomoMockError } from '../errors.ts';
import type { KeyEntry } from '../mock/accounts.ts';
import { canonicalName } from '../tls/names.ts';
import { DEFAULT_KEY, type KeySource, readKeys } from './api-keys.ts';
import { PREFIX, type Setting, type Values } from './settings.ts';

/** The configuration: every setting's value, and the keys of all places read together. */
export interface Config extends Omit<Values, 'API_KEYS' | 'API_KEYS_FILE'> {
  readonly keys: readonly KeyEntry[];
  /** The keys are the documented one: none was configured. */
  readonly isDefaultKey: boolean;
}

/** What a configuration is made of. */
export interface ConfigParts {
  /** Each one checked. They may be incomplete where there is a problem. */
  readonly values: Partial<Values>;
  readonly keySources: readonly KeySource[];
  /** A sentence for each thing that is wrong with the values. */
  readonly problems: readonly string[];
  /** How the files of the user's own certificate are called in a sentence. */
  readonly tlsFiles: string;
}

/**
 * Makes the configuration of checked values, and checks what concerns several of them.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, with a sentence for each problem
 */
export function makeConfig({ values, keySources, problems, tlsFiles }: ConfigParts): Config {
  const { keys, problems: keyProblems } = readKeys(keySources);
  const all = [...problems];
  if ((values.TLS_CERT_FILE === undefined) !== (values.TLS_KEY_FILE === undefined)) {
    all.push(`Failed to read ${tlsFiles}: only one of them is set. Set both or neither.`);
  }
  throwIfAny([...all, ...keyProblems]);
  const { API_KEYS, API_KEYS_FILE, ...others } = values as Values;
  const isDefaultKey = keySources.length === 0;
  return {
    ...others,
    TLS_HOSTS: others.TLS_HOSTS.flatMap((host) => canonicalName(host) ?? []),
    keys: isDefaultKey ? [{ key: DEFAULT_KEY }] : keys,
    isDefaultKey,
  };
}

/**
 * Checks that there is a fixture file for each variant that the configuration names.
 *
 * @param known names of the variants that have a file
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`
 */
export function checkVariants(config: Config, known: readonly string[]): void {
  const problems: string[] = [];
  const check = (variant: string | undefined, place: string, shown: string): void => {
    if (variant === undefined || known.includes(variant)) return;
    const give = `Give one of ${known.join(', ')}, or add a file such as momo/balance.get.NAME.json`;
    problems.push(`Failed to read ${place}: ${shown} is the name of no fixture file. ${give}.`);
  };
  const { BALANCE_VARIANT: variant, keys } = config;
  check(variant, `${PREFIX}BALANCE_VARIANT`, `the variant ${JSON.stringify(variant)}`);
  keys.forEach((entry, index) => {
    // Not shown: what stands behind the = of an entry may be the end of a key.
    check(entry.variant, `API key ${index + 1}`, 'the variant behind its =');
  });
  throwIfAny(problems);
}

/**
 * The sentence for a value that is not allowed. It does not show a secret, nor what an object holds.
 *
 * @param place how the place of the value is called in a sentence
 */
export function describeWrong(
  place: string,
  value: unknown,
  { allowed, secret }: Pick<Setting, 'allowed' | 'secret'>,
): string {
  return `Failed to read ${place}: ${secret ? 'it' : shown(value)} is not allowed. Give ${allowed}.`;
}

function shown(value: unknown): string {
  const isText = [value].flat().every((item) => typeof item === 'string');
  if (isText) return JSON.stringify(value);
  const isPlain = value === null || ['number', 'boolean'].includes(typeof value);
  return isPlain ? String(value) : 'it';
}

function throwIfAny(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', problems.join('\n'));
}
