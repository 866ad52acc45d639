import { MomoMockError } from '../errors.ts';
import { advice } from '../mock/closest-name.ts';
import { REDACTED, type Redactor } from '../mock/redaction/redaction.ts';
import { KeyRule } from '../mock/requests/key-rule.ts';
import { canonicalName } from '../tls/names.ts';
import { DEFAULT_KEY, type KeyEntry, type KeySource, readKeys } from './api-keys.ts';
import { isText, type Schema, wordsOf } from './schema.ts';
import { PREFIX, SETTINGS, type Setting, type Values } from './settings.ts';

export interface Config extends Omit<Values, 'API_KEYS' | 'API_KEYS_FILE'> {
  readonly keys: readonly KeyEntry[];
  /** Whether no key was configured. */
  readonly isDefaultKey: boolean;
}

export interface ConfigParts {
  /** Checked values. They may be incomplete if there is a problem. */
  readonly values: Partial<Values>;
  readonly keySources: readonly KeySource[];
  readonly problems: readonly string[];
}

/**
 * Checks the rules that involve several settings.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, with a message for each problem
 */
export function makeConfig({ values, keySources, problems }: ConfigParts): Config {
  const { keys, problems: keyProblems } = readKeys(keySources);
  const allProblems = [...problems];
  if ((values.TLS_CERT_FILE === undefined) !== (values.TLS_KEY_FILE === undefined)) {
    const names = `${PREFIX}TLS_CERT_FILE and ${PREFIX}TLS_KEY_FILE`;
    allProblems.push(`Failed to read ${names}: only one of them is set. Set both or neither.`);
  }
  if (/(^|,)basic(,|$)/i.test(`${values.KEY_IN}`)) {
    keys.forEach(({ key }, index) => {
      if (!key.includes(':')) return;
      const why = 'it contains a colon, which ends the user name of Basic authentication';
      keyProblems.push(`Failed to read API key ${index + 1}: ${why}. Use a key without one.`);
    });
  }
  throwIfAny([...allProblems, ...keyProblems]);
  const { API_KEYS, API_KEYS_FILE, ...others } = values as Values;
  const isDefaultKey = keySources.length === 0;
  return {
    ...others,
    TLS_HOSTS: canonical(others.TLS_HOSTS),
    WEBHOOK_HOSTS: canonical(others.WEBHOOK_HOSTS),
    keys: isDefaultKey ? [{ key: DEFAULT_KEY }] : keys,
    isDefaultKey,
  };
}

export function keyRuleOf({ KEY_IN, keys, isDefaultKey }: Config): KeyRule {
  return new KeyRule(KEY_IN, keys[0]?.key, isDefaultKey ? DEFAULT_KEY : undefined);
}

function canonical(hosts: readonly string[]): string[] {
  return hosts.flatMap((host) => canonicalName(host) ?? []);
}

/** @param existing the variants that have a fixture file */
export function checkVariants(config: Config, existing: readonly string[]): void {
  const problems: string[] = [];
  const others = existing.length === 0 ? '' : `, or use one of ${existing.join(', ')}`;
  const add = `Add a file such as momo/balance.get.NAME.json${others}.`;
  const check = (variant: string | undefined, place: string, description: string, fix: string) => {
    if (variant === undefined || existing.includes(variant)) return;
    problems.push(`Failed to read ${place}: ${description} has no fixture file. ${fix}`);
  };
  const { VARIANT: variant, keys } = config;
  const fix = advice(variant ?? '', existing, add);
  check(variant, `${PREFIX}VARIANT`, `the variant ${JSON.stringify(variant)}`, fix);
  keys.forEach((entry, index) => {
    // Do not quote the text after the =: it may be the end of a key.
    check(entry.variant, `API key ${index + 1}`, 'the variant after its =', add);
  });
  throwIfAny(problems);
}

/** The settings for the overview of a running mock, without secrets. */
export function settingsIn(config: Config, redactor: Redactor) {
  const { keys: _, isDefaultKey, ...values } = config;
  // The keys come from several sources, which the configuration does not keep.
  const texts = { ...values, API_KEYS: isDefaultKey ? undefined : true };
  const settings = Object.entries<Setting>(SETTINGS).filter(([, setting]) => !setting.forCommands);
  return settings.map(([name, { secret, schema }]) => {
    const value = (texts as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || `${value}` === '') return { name: PREFIX + name, value: null };
    const shown = isText(schema) ? redactor.redact(`${value}`) : `${value}`;
    return { name: PREFIX + name, value: secret ? REDACTED : shown };
  });
}

/** The message for a value that is not allowed. It contains neither secrets nor the content of objects. */
export function describeWrong(
  place: string,
  value: unknown,
  {
    allowed,
    secret,
    hidden,
    schema,
  }: Pick<Setting, 'allowed' | 'secret' | 'hidden'> & { readonly schema?: Schema },
): string {
  const isShown = !secret && !hidden;
  const words = isShown && schema !== undefined ? wordsOf(schema) : [];
  const fix = advice(typeof value === 'string' ? value : '', words, `Use ${allowed}.`);
  return `Failed to read ${place}: ${isShown ? printed(value) : 'the value'} is not allowed. ${fix}`;
}

function printed(value: unknown): string {
  const isText = [value].flat().every((item) => typeof item === 'string');
  if (isText) return JSON.stringify(value);
  const isPlain = value === null || ['number', 'boolean'].includes(typeof value);
  return isPlain ? String(value) : 'the value';
}

function throwIfAny(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', problems.join('\n'));
}
