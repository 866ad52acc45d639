import { type KeySource, readKeys } from '../config/api-keys.ts';
import { type Config, loadConfig } from '../config/load.ts';
import type { SettingName } from '../config/settings.ts';
import { MomoMockError } from '../errors.ts';

/**
 * What a mock in this process is started with. The settings by their names, and nothing is
 * read from the environment or `.env`.
 */
export interface StartOptions {
  /** @default 'localhost', both loopback addresses */
  readonly host?: string;
  /** @default 0, any free port */
  readonly port?: number;
  /** The control API: `true` is on any free port. @default false */
  readonly control?:
    | boolean
    | { readonly host?: string; readonly port?: number; readonly token?: string };
  /** Keys that are good, each `KEY` or `KEY=VARIANT`. @default ['momo_test_key'] */
  readonly apiKeys?: readonly string[];
  /** Your fixture tree, laid over the shipped one. @default none */
  readonly fixturesDir?: string;
  /** Serve changes of `fixturesDir` without a restart. @default false */
  readonly watch?: boolean;
  /** The variant for accounts that name none. @default none */
  readonly balanceVariant?: string;
  /** Folder to keep the certificate in. @default none, it is in memory only */
  readonly certsDir?: string;
  /** Your own certificate, PEM; with `tlsKeyFile`. @default none */
  readonly tlsCertFile?: string;
  /** The key of your own certificate, PEM. @default none */
  readonly tlsKeyFile?: string;
  /** More names for the certificate. @default [] */
  readonly tlsHosts?: readonly string[];
  /** Origins that may read answers in a browser. @default '*' */
  readonly corsOrigin?: '*' | 'off' | readonly string[];
  /** No slash at the end of a path, and letter case matters. @default false */
  readonly strictPaths?: boolean;
  /** How many requests are remembered. @default 10000 */
  readonly journalSize?: number;
  /**
   * How long a client may take for a handshake, its headers, its body, or the next piece of an
   * answer, in ms.
   *
   * @default 30000
   */
  readonly clientTimeout?: number;
  /** How long a stop waits for running answers, in ms. @default 5000 */
  readonly shutdownTimeout?: number;
  /** What is logged, JSON lines on standard output. @default 'silent' */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

/** The setting behind each option; what is not here is no setting. */
const SETTING_OF = {
  host: 'HOST',
  port: 'PORT',
  fixturesDir: 'FIXTURES_DIR',
  balanceVariant: 'BALANCE_VARIANT',
  certsDir: 'CERTS_DIR',
  tlsCertFile: 'TLS_CERT_FILE',
  tlsKeyFile: 'TLS_KEY_FILE',
  tlsHosts: 'TLS_HOSTS',
  corsOrigin: 'CORS_ORIGIN',
  strictPaths: 'STRICT_PATHS',
  journalSize: 'JOURNAL_SIZE',
  clientTimeout: 'CLIENT_TIMEOUT',
  shutdownTimeout: 'SHUTDOWN_TIMEOUT',
  logLevel: 'LOG_LEVEL',
} as const satisfies Partial<Record<keyof StartOptions, SettingName>>;

const OTHERS = ['control', 'apiKeys', 'watch'];

/**
 * Reads the options by the same rules as the settings.
 *
 * @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID`, with a sentence for each wrong option
 */
export async function readStartOptions(options: StartOptions): Promise<Config> {
  const { control = false, apiKeys } = options;
  const unknown = Object.keys(options).filter(
    (name) => !Object.hasOwn(SETTING_OF, name) && !OTHERS.includes(name),
  );
  const flags: Partial<Record<SettingName, string>> = { PORT: '0', LOG_LEVEL: 'silent' };
  for (const [option, setting] of Object.entries(SETTING_OF)) {
    const value = options[option as keyof typeof SETTING_OF];
    if (value !== undefined) flags[setting] = String(value);
  }
  if (control === false) flags.CONTROL_PORT = 'off';
  else {
    const { host, port = 0, token } = control === true ? {} : control;
    flags.CONTROL_PORT = String(port);
    if (host !== undefined) flags.CONTROL_HOST = host;
    if (token !== undefined) flags.CONTROL_TOKEN = token;
  }
  const sources: KeySource[] = apiKeys === undefined ? [] : [{ name: 'apiKeys', entries: apiKeys }];
  const { keys, problems } = readKeys(sources);
  if (unknown.length > 0) {
    const all = [...Object.keys(SETTING_OF), ...OTHERS].join(', ');
    problems.push(`Failed to read the options: ${unknown.join(', ')} is none. There are ${all}.`);
  }
  if (problems.length > 0) {
    throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', problems.join('\n'));
  }
  const config = await loadConfig({
    flags,
    env: {},
    dotenv: {},
    withKeys: false,
    nameFlag,
    readKeysFile: async () => '',
  });
  return apiKeys === undefined ? config : { ...config, keys, isDefaultKey: false };
}

function nameFlag(setting: SettingName): string {
  const known = Object.entries(SETTING_OF).find(([, name]) => name === setting)?.[0];
  return known ?? setting.toLowerCase().replace('_', '.');
}
