import { MomoMockError } from '../errors.ts';
import type { MomoRateLimit } from '../mock/account/rate-limit.ts';
import { closestName } from '../mock/closest-name.ts';
import { isObject } from '../mock/json/exact-json.ts';
import { type Config, describeWrong, makeConfig } from '../settings/config.ts';
import {
  SETTINGS,
  type Setting,
  type SettingName,
  type Values,
  withNames,
} from '../settings/settings.ts';
import { type PRESETS, presetSettings } from '../shipped/presets.ts';
import type { RedirectOptions } from './momo-mock.ts';
import { CONTROL_OPTIONS, OPTIONS, type Option } from './option-table.ts';
import { validateControl, validateOptions } from './option-validators.ts';

type KeyPlace = `query:${string}` | `header:${string}` | 'bearer' | 'basic';

/** Where requests carry the API key: a place, or a comma-separated list such as `basic,bearer`. */
export type MomoKeyIn = KeyPlace | 'none' | `${KeyPlace},${string}`;

/** The name of a preset that this version has, or of another one. */
export type MomoPreset = (typeof PRESETS)[number] | (string & {});

/**
 * The options of a mock in this process: the settings, with names in camel case. Nothing is read
 * from the environment or `.env`. An unknown option (also in `control`), `null`, or a value of the
 * wrong type is an error that names the option.
 */
export interface MomoStartOptions extends RedirectOptions {
  /** The host that the service listens on. @default 'localhost', both loopback addresses */
  readonly host?: string;
  /** The port of the service. @default 0, a free port */
  readonly port?: number;
  /** The control API; `true` starts it on a free port. @default false */
  readonly control?:
    | boolean
    | { readonly host?: string; readonly port?: number; readonly token?: string };
  /** Valid API keys, each `KEY` or `KEY=VARIANT`. @default ['momo_test_key'] */
  readonly apiKeys?: readonly string[];
  /**
   * Where requests carry the API key: `query:NAME`, `header:NAME`, `bearer`, `basic` (the user name) or
   * `none`, so that every request belongs to the first key. In a list such as `basic,bearer`, `bearer`
   * is a token that a handler issued.
   *
   * @default 'query:apikey', or what the preset says
   */
  readonly keyIn?: MomoKeyIn;
  /**
   * Whole names of members of bodies that only look like a secret's, such as `Key`. The journal and
   * messages show their values, unless these are known as secrets otherwise.
   *
   * @default [], or what the preset says
   */
  readonly notSecret?: readonly string[];
  /** Your fixture folder. Its files replace or extend the shipped ones. @default none */
  readonly fixturesDir?: string;
  /** A preset: shipped fixtures that model a known API, below your own files. @default none */
  readonly preset?: MomoPreset;
  /**
   * What is below a preset and your own files: the shipped fixtures, or none. With `none`, the service
   * has only your operations, no balance, and errors without a file have an empty body.
   *
   * @default 'shipped', or what the preset says
   */
  readonly base?: 'shipped' | 'none';
  /** Whether to reload `fixturesDir` when a file changes. @default false */
  readonly watch?: boolean;
  /**
   * How many requests each account may make per window, such as `100/1m`, `10/s` or `1000/h`, or
   * `{ limit: 100, window: 60_000 }` (ms). Requests over the limit get `errors/429`. @default no limit
   */
  readonly rateLimit?: MomoRateLimit | string;
  /** The variant of every operation that has it, for accounts without their own. @default none */
  readonly variant?: string;
  /** The folder for the certificate and its key. @default none, they stay in memory */
  readonly certsDir?: string;
  /** The file of your own certificate, PEM; requires `tlsKeyFile`. @default none */
  readonly tlsCertFile?: string;
  /** The file of the key of your own certificate, PEM. @default none */
  readonly tlsKeyFile?: string;
  /** Additional host names for the certificate. @default [] */
  readonly tlsHosts?: readonly string[];
  /** Hosts that webhooks may reach, besides this machine. @default [] */
  readonly webhookHosts?: readonly string[];
  /** Origins whose pages may read responses. @default '*' */
  readonly corsOrigin?: '*' | 'off' | readonly string[];
  /** Whether to match paths exactly: case-sensitive, without a trailing slash. @default false */
  readonly strictPaths?: boolean;
  /** The maximum number of requests in the journal. @default 10000 */
  readonly journalSize?: number;
  /**
   * The maximum size of the journal, in bytes. It counts bodies, targets, headers, and bodies of
   * scripted responses.
   *
   * @default 16777216, 16 MiB
   */
  readonly journalBytes?: number;
  /**
   * The time limit for each step of a client, in ms: the handshake, the headers, the body, the next
   * chunk of a response.
   *
   * @default 30000
   */
  readonly clientTimeout?: number;
  /**
   * A file that keeps what the mock remembers, except the journal, across restarts.
   *
   * @default none
   */
  readonly snapshotFile?: string;
  /** How long shutdown waits for running requests, in ms. @default 5000 */
  readonly shutdownTimeout?: number;
  /** The lowest level to log, as JSON lines on standard output. @default 'silent' */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

const DEFAULTS = {
  ...Object.fromEntries(
    Object.entries<Setting>(SETTINGS).map(([name, { schema }]) => [name, schema.default]),
  ),
  PORT: 0,
  CONTROL_PORT: 'off',
  LOG_LEVEL: 'silent',
};

/** Copies the options, so that later changes have no effect. */
export function copyStartOptions(options: MomoStartOptions): MomoStartOptions {
  try {
    return structuredClone(options);
  } catch {
    const text =
      'Failed to read the options: one of them is not a plain value. Use only text, numbers, true, false, and lists.';
    throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', text);
  }
}

/** @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, with a message for each invalid option */
export function readStartOptions(options: MomoStartOptions): Config {
  const values: Partial<Record<SettingName, unknown>> = {};
  const problems: string[] = [];
  const read = (given: object, known: Readonly<Record<string, Option>>, prefix = ''): void => {
    const validate = known === OPTIONS ? validateOptions : validateControl;
    validate(given);
    const wrong = new Set(validate.errors?.map(({ instancePath }) => instancePath.split('/')[1]));
    for (const [name, value] of Object.entries(given)) {
      const option = Object.hasOwn(known, name) ? known[name] : undefined;
      if (option === undefined) {
        const guess = closestName(name, Object.keys(known));
        const fix = guess
          ? `Did you mean "${prefix}${guess}"?`
          : `Use only ${Object.keys(known).join(', ')}.`;
        problems.push(`Unknown option "${prefix}${name}". ${fix}`);
      } else if (value === undefined) continue;
      else if (wrong.has(name)) {
        problems.push(describeWrong(prefix + name, value, option));
      } else if (option.setting !== undefined) values[option.setting] = value;
    }
  };
  if (isObject(options)) {
    const { control, ...others } = options;
    if (control !== undefined && control !== false) values.CONTROL_PORT = 0;
    read(isObject(control) ? others : options, OPTIONS);
    if (isObject(control)) read(control, CONTROL_OPTIONS, 'control.');
  } else {
    problems.push(describeWrong('the options', options, { allowed: 'an object', secret: true }));
  }
  if (isObject(values.RATE_LIMIT)) {
    const { limit, window } = values.RATE_LIMIT as object as MomoRateLimit;
    values.RATE_LIMIT = `${limit}/${window}ms`;
  }
  const entries = values.API_KEYS as readonly string[] | undefined;
  return makeConfig({
    values: { ...DEFAULTS, ...presetSettings(values.PRESET), ...values } as Partial<Values>,
    keySources: entries === undefined ? [] : [{ name: 'apiKeys', entries }],
    problems,
  });
}

/** An error that names options, not settings. */
export function withOptionNames(error: unknown): unknown {
  if (!(error instanceof MomoMockError)) return error;
  const { code, cause } = error;
  const message = withNames(error.message, optionOf);
  if (message === error.message) return error;
  return new MomoMockError(code, message, cause === undefined ? {} : { cause });
}

function optionOf(setting: SettingName): string | undefined {
  const nameIn = (options: Readonly<Record<string, Option>>) =>
    Object.keys(options).find((name) => options[name]?.setting === setting);
  const inControl = nameIn(CONTROL_OPTIONS);
  return inControl === undefined ? nameIn(OPTIONS) : `control.${inControl}`;
}
