import type { Schema, ValueOf } from './schema.ts';

/** What the name of every setting begins with, so that it never collides with an application's. */
export const PREFIX = 'MOMO_MOCK_';

/** One setting. */
export interface Setting {
  /** JSON Schema of its value. */
  readonly schema: Schema;
  /** What is allowed, to follow "Give". */
  readonly allowed: string;
  /** What it is for, in the help and in README. */
  readonly about: string;
  /** Its value is never shown, and no flag can give it, since process lists show flags. */
  readonly secret?: true;
}

const TEXT = { type: 'string', minLength: 1 } as const;

/**
 * The settings: the one table from which the schema, the configuration's type, the flags and the
 * help are made.
 */
export const SETTINGS = {
  HOST: {
    schema: { ...TEXT, default: 'localhost' },
    allowed: 'a host name or an address',
    about: 'host the service listens on; localhost is both loopback addresses',
  },
  PORT: { ...integer(0, 65_535, 8443), about: 'port of the service; 0 is any free port' },
  CONTROL_HOST: {
    schema: { ...TEXT, default: 'localhost' },
    allowed: 'a host name or an address',
    about: 'host the control API listens on',
  },
  CONTROL_PORT: {
    schema: {
      anyOf: [
        { type: 'string', enum: ['off'] },
        { type: 'integer', minimum: 0, maximum: 65_535 },
      ],
      default: 8480,
    },
    allowed: 'a whole number from 0 to 65535, or off',
    about: 'port of the control API; 0 is any free port, off is none',
  },
  CONTROL_TOKEN: {
    schema: TEXT,
    allowed: 'a token',
    about: 'bearer token that the control API demands',
    secret: true,
  },
  API_KEYS: {
    schema: { type: 'array', items: { type: 'string' } },
    allowed: 'keys by comma, each KEY or KEY=VARIANT',
    about: 'keys by comma, each KEY or KEY=VARIANT; without any there is momo_test_key',
    secret: true,
  },
  API_KEYS_FILE: {
    schema: TEXT,
    allowed: 'the path of a file, or - for standard input',
    about: 'file with one KEY or KEY=VARIANT a line; - is standard input',
  },
  FIXTURES_DIR: {
    schema: TEXT,
    allowed: 'the path of a folder',
    about: 'your fixture tree, laid over the shipped one (default: fixtures, if there)',
  },
  BALANCE_VARIANT: {
    schema: TEXT,
    allowed: 'the name of a variant',
    about: 'variant of the balance for accounts that name none',
  },
  CERTS_DIR: {
    schema: { ...TEXT, default: 'certs' },
    allowed: 'the path of a folder',
    about: 'folder where the certificate and its key are made and kept',
  },
  TLS_CERT_FILE: {
    schema: TEXT,
    allowed: 'the path of a PEM file',
    about: 'your own certificate instead; with TLS_KEY_FILE',
  },
  TLS_KEY_FILE: {
    schema: TEXT,
    allowed: 'the path of a PEM file',
    about: "your own certificate's private key",
  },
  TLS_HOSTS: {
    schema: { type: 'array', items: { type: 'string', format: 'host' }, default: [] },
    allowed: 'host names or addresses by comma, such as momo,*.example.com,10.0.0.5',
    about: 'more names for the certificate, by comma',
  },
  CORS_ORIGIN: {
    schema: {
      anyOf: [
        { type: 'string', enum: ['*', 'off'] },
        { type: 'array', items: { type: 'string', format: 'origin' } },
      ],
      default: '*',
    },
    allowed: '*, off, or origins by comma, such as https://shop.example,http://localhost:3000',
    about: 'origins that may read answers, by comma; * or off',
  },
  STRICT_PATHS: {
    schema: { type: 'boolean', default: false },
    allowed: 'true or false',
    about: 'no slash at the end of a path, and letter case matters',
  },
  JOURNAL_SIZE: { ...integer(0, 10_000_000, 10_000), about: 'how many requests the journal keeps' },
  JOURNAL_BYTES: {
    ...integer(0, 1_000_000_000_000, 67_108_864),
    about: 'how many bytes of requests the journal keeps: bodies, targets and headers',
  },
  CLIENT_TIMEOUT: {
    ...integer(1, 3_600_000, 30_000),
    about:
      'how long a client may take for a handshake, its headers, its body, or the next piece of an answer, in ms',
  },
  SHUTDOWN_TIMEOUT: {
    ...integer(0, 3_600_000, 5000),
    about: 'how long a stop waits for running answers, in ms',
  },
  LOG_LEVEL: {
    schema: {
      type: 'string',
      enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      default: 'info',
    },
    allowed: 'one of trace, debug, info, warn, error, fatal, silent',
    about: 'what is logged',
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The name of a setting, without its prefix. */
export type SettingName = keyof typeof SETTINGS;

/** The value of every setting; `undefined` for one that was not given and has no default. */
export type Values = {
  readonly [Name in SettingName]:
    | ValueOf<(typeof SETTINGS)[Name]['schema']>
    | ((typeof SETTINGS)[Name]['schema'] extends { readonly default: unknown } ? never : undefined);
};

/** The settings that a flag can give. */
export const FLAG_SETTINGS = (Object.keys(SETTINGS) as SettingName[]).filter(
  (name) => !('secret' in SETTINGS[name]),
);

/** `CONTROL_PORT` is `--control-port`. */
export function flagOf(name: SettingName): string {
  return `--${name.toLowerCase().replaceAll('_', '-')}`;
}

function integer(minimum: number, maximum: number, fallback: number) {
  return {
    schema: { type: 'integer', minimum, maximum, default: fallback },
    allowed: `a whole number from ${minimum} to ${maximum}`,
  } as const;
}
