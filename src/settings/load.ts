import { fastifyEnv } from '@fastify/env';
import type { Ajv } from 'ajv';
import { fastify } from 'fastify';
import { closestName } from '../mock/closest-name.ts';
import { fastifyOptions } from '../net/fastify-options.ts';
import { presetSettings } from '../shipped/presets.ts';
import { type KeySource, keyLines } from './api-keys.ts';
import { type Config, describeWrong, makeConfig } from './config.ts';
import { FORMATS, objectSchema } from './schema.ts';
import {
  isSetting,
  PREFIX,
  SETTINGS,
  type Setting,
  type SettingName,
  type Values,
} from './settings.ts';

export type SettingTexts = Readonly<Partial<Record<SettingName, string>>>;

/** Where settings come from. Highest precedence first. */
export interface ConfigSources {
  readonly flags: SettingTexts;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dotenv: Readonly<Record<string, string | undefined>>;
  /** Override the defaults of the settings. */
  readonly defaults?: SettingTexts;
  /**
   * Reads the file that API_KEYS_FILE names; `-` is standard input.
   *
   * @default none: the configured keys are not read
   */
  readonly readKeysFile?: (path: string) => Promise<string>;
}

/** An empty variable counts as unset, because compose files pass unset variables as empty ones. */
function layer({ flags, env, dotenv, defaults }: ConfigSources): {
  texts: SettingTexts;
  unknown: readonly string[];
} {
  const texts: Partial<Record<SettingName, string>> = { ...defaults };
  const unknown = new Set<string>();
  for (const source of [dotenv, env]) {
    for (const [name, value] of Object.entries(source)) {
      if (!name.startsWith(PREFIX) || value === undefined || isServiceLink(name, value)) continue;
      if (RUN_VARIABLES.includes(name) || name.startsWith(DRILL_VARIABLES)) continue;
      const setting = name.slice(PREFIX.length);
      if (!isSetting(setting)) unknown.add(name);
      else if (value !== '') texts[setting] = value;
    }
  }
  return { texts: { ...texts, ...flags }, unknown: [...unknown] };
}

/**
 * The variables that `momo-mock run` sets for its command. They are not settings, but another
 * momo-mock may see them: the command may start one, and projects put them into `.env`.
 */
export const RUN_VARIABLES = ['URL', 'CONTROL_URL', 'APIKEY', 'CA', 'REDIRECT'].map(
  (name) => PREFIX + name,
);

/** The beginning of the variables that `momo-mock drill` sets for the application, besides. */
const DRILL_VARIABLES = `${PREFIX}DRILL_`;

/**
 * Seen in the field: for a Service called `momo-mock`, Kubernetes puts `MOMO_MOCK_SERVICE_HOST`,
 * `MOMO_MOCK_PORT=tcp://10.0.0.1:8443`, `MOMO_MOCK_PORT_8443_TCP_ADDR` and more like these into
 * every pod. They are not settings.
 */
function isServiceLink(name: string, value: string): boolean {
  return (
    (/^\w+$/.test(name) && /_SERVICE_(HOST$|PORT$|PORT_\w)/.test(name)) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value))
  );
}

/** @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, with a message for each invalid setting */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const { texts: given, unknown } = layer(sources);
  const ofPreset = Object.entries(presetSettings(given.PRESET));
  // A list is text with commas.
  const texts = {
    ...Object.fromEntries(ofPreset.map(([name, value]) => [name, `${value}`])),
    ...given,
  };
  const { values, wrong } = await checkTexts(texts);
  const problems = unknown.map((name) => {
    const guess = closestName(name.slice(PREFIX.length), Object.keys(SETTINGS));
    const fix = guess ? `Did you mean ${PREFIX}${guess}?` : 'To list them: momo-mock settings';
    return `Unknown setting ${name}. ${fix}`;
  });
  for (const name of wrong) {
    problems.push(describeWrong(PREFIX + name, texts[name], SETTINGS[name]));
  }
  return makeConfig({ values, keySources: await keySources(texts, sources), problems });
}

/** @returns the converted values, or the unconverted ones with the names of the invalid settings */
async function checkTexts(texts: SettingTexts) {
  const data: Partial<Record<SettingName, unknown>> = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, split(name as SettingName, text)]),
  );
  const app = fastify(fastifyOptions());
  try {
    await app.register(fastifyEnv, {
      schema: objectSchema(SETTINGS),
      data,
      env: false,
      ajv: { customOptions: withFormats },
    });
    await app.ready();
    return { values: app.getEnvs<Values>(), wrong: [] };
  } catch (error) {
    const { errors } = error as { errors?: { instancePath: string }[] };
    if (errors === undefined) throw error;
    const invalid = errors.map(({ instancePath }) => instancePath.split('/')[1] as SettingName);
    return { values: data as Partial<Values>, wrong: [...new Set(invalid)] };
  }
}

function withFormats(ajv: Ajv): Ajv {
  for (const [name, isValid] of Object.entries(FORMATS)) ajv.addFormat(name, isValid);
  return ajv;
}

/** Splits lists at their commas, but not a word such as `off`. @fastify/env converts all other text. */
function split(name: SettingName, text: string): string | string[] {
  const { schema }: Setting = SETTINGS[name];
  const parts = 'anyOf' in schema ? schema.anyOf : [schema];
  const isList = parts.some((part) => 'items' in part);
  const isWord = parts.some((part) => 'enum' in part && part.enum?.includes(text));
  return isList && !isWord ? listItems(text).filter((word) => word !== '') : text;
}

function listItems(list: string): string[] {
  return list.split(',').map((word) => word.trim());
}

async function keySources(
  { API_KEYS: list, API_KEYS_FILE: file }: SettingTexts,
  { readKeysFile }: ConfigSources,
): Promise<KeySource[]> {
  if (readKeysFile === undefined) return [];
  const sources: KeySource[] = [];
  if (list !== undefined) sources.push({ name: `${PREFIX}API_KEYS`, entries: listItems(list) });
  if (file === undefined) return sources;
  const name = file === '-' ? 'the keys on standard input' : `${PREFIX}API_KEYS_FILE`;
  const entries = await readKeysFile(file).then(keyLines, (error) => error as Error);
  return [...sources, { name, entries }];
}
