import type { Schema, ValueOf } from './schema.ts';

/** The prefix of every setting, so that no name collides with an application's variable. */
export const PREFIX = 'MOMO_MOCK_';

export interface Setting {
  readonly schema: Schema;
  /** The allowed values, as words that follow "Use" in a message. */
  readonly allowed: string;
  /** The allowed values of the library option, if they differ. @default `allowed` */
  readonly allowedOption?: string;
  /** For the help and docs/command-line.md. */
  readonly about: string;
  /** No output contains its value. It has no flag, because process lists contain flags. */
  readonly secret?: true;
  /** No message repeats its value, which may contain a secret by mistake. It has a flag. */
  readonly hidden?: true;
  /** Only commands use it: it is not a library option, and the control API does not list it. */
  readonly forCommands?: true;
}

const TEXT = { type: 'string', minLength: 1 } as const;

/**
 * The schema, the type of the configuration, the flags, the library options and the help come from
 * this table.
 */
export const SETTINGS = {
  HOST: {
    schema: { ...TEXT, default: 'localhost' },
    allowed: 'a host name or an address',
    about: 'host that the service listens on; localhost means both loopback addresses',
  },
  PORT: { ...integer(0, 65_535, 8443), about: 'port of the service; 0 chooses a free port' },
  CONTROL_HOST: {
    schema: { ...TEXT, default: 'localhost' },
    allowed: 'a host name or an address',
    about: 'host that the control API listens on',
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
    about: 'port of the control API; 0 chooses a free port, off disables it',
  },
  CONTROL_TOKEN: {
    schema: TEXT,
    allowed: 'a token',
    about: 'bearer token that requests to the control API must carry',
    secret: true,
  },
  API_KEYS: {
    schema: { type: 'array', items: { type: 'string' } },
    allowed: 'comma-separated keys, each KEY or KEY=VARIANT',
    allowedOption: 'an array of keys, each KEY or KEY=VARIANT',
    about: 'comma-separated keys, each KEY or KEY=VARIANT; momo_test_key if no key is set',
    secret: true,
  },
  API_KEYS_FILE: {
    schema: TEXT,
    allowed: 'the path of a file, or - for standard input',
    about: 'file with one KEY or KEY=VARIANT per line; - reads standard input',
    forCommands: true,
  },
  KEY_IN: {
    schema: { ...TEXT, format: 'key place', default: 'query:apikey' },
    allowed: 'query:NAME, header:NAME, bearer, basic, none, or a list such as basic,bearer',
    about:
      'where requests carry the API key; basic uses the user name; with none, every request belongs to the first key; in a list such as basic,bearer, bearer is a token that a handler issued',
  },
  NOT_SECRET: {
    schema: { type: 'array', items: { type: 'string' }, default: [] },
    allowed: 'comma-separated names, such as Key',
    allowedOption: 'an array of names',
    about:
      "whole names of members of bodies that only look like a secret's, comma-separated; their values are shown",
  },
  FIXTURES_DIR: {
    schema: TEXT,
    allowed: 'the path of a folder',
    about:
      'your fixture folder, whose files replace or extend the shipped ones (default: fixtures, if it exists)',
  },
  PRESET: {
    schema: TEXT,
    allowed: 'the name of a preset',
    about: 'shipped fixtures that model a known API, below your own files',
  },
  BASE: {
    schema: { type: 'string', enum: ['shipped', 'none'], default: 'shipped' },
    allowed: 'shipped or none',
    about:
      'what is below a preset and your own files: the shipped fixtures, or none, for an empty service',
  },
  VARIANT: {
    schema: TEXT,
    allowed: 'the name of a variant',
    about: 'variant of every operation that has it, for accounts without their own',
  },
  CERTS_DIR: {
    schema: { ...TEXT, default: 'certs' },
    allowed: 'the path of a folder',
    about: 'folder in which the mock creates and keeps its certificate and key',
  },
  TLS_CERT_FILE: {
    schema: TEXT,
    allowed: 'the path of a PEM file',
    about: 'your own certificate; requires MOMO_MOCK_TLS_KEY_FILE, its key',
  },
  TLS_KEY_FILE: {
    schema: TEXT,
    allowed: 'the path of a PEM file',
    about: 'private key of your own certificate',
  },
  TLS_HOSTS: {
    schema: { type: 'array', items: { type: 'string', format: 'host' }, default: [] },
    allowed: 'comma-separated host names or addresses, such as momo,*.example.com,10.0.0.5',
    allowedOption: 'an array of host names or addresses',
    about: 'additional host names for the certificate, comma-separated',
  },
  WEBHOOK_HOSTS: {
    schema: { type: 'array', items: { type: 'string', format: 'host' }, default: [] },
    allowed: 'comma-separated host names or addresses, such as app,*.example.com,10.0.0.5',
    allowedOption: 'an array of host names or addresses',
    about: 'hosts that webhooks may go to, besides this machine, comma-separated',
  },
  CORS_ORIGIN: {
    schema: {
      anyOf: [
        { type: 'string', enum: ['*', 'off'] },
        { type: 'array', items: { type: 'string', format: 'origin' } },
      ],
      default: '*',
    },
    allowed:
      '*, off, or comma-separated origins, such as https://shop.example,http://localhost:3000',
    allowedOption: "'*', 'off' or an array of origins",
    about: 'origins whose pages may read responses and send cookies, comma-separated; * or off',
  },
  STRICT_PATHS: {
    schema: { type: 'boolean', default: false },
    allowed: 'true or false',
    about: 'match paths exactly: case-sensitive, no trailing slash',
  },
  RATE_LIMIT: {
    schema: { ...TEXT, format: 'rate' },
    allowed: 'a number of requests and a time, such as 10/s, 100/1m or 1000/h',
    about: 'rate limit for each account, such as 100/1m; further requests get a 429',
  },
  JOURNAL_SIZE: {
    ...integer(0, 10_000_000, 10_000),
    about: 'maximum number of requests in the journal',
  },
  JOURNAL_BYTES: {
    ...integer(0, 1_000_000_000_000, 16_777_216),
    about:
      'maximum size of the journal, in bytes: bodies, targets, headers, and bodies of scripted responses',
  },
  CLIENT_TIMEOUT: {
    ...integer(1, 3_600_000, 30_000),
    about:
      'time limit for a handler and for each step of a client, in ms: the handshake, the headers, the body, the next chunk of a response',
  },
  SNAPSHOT_FILE: {
    schema: TEXT,
    allowed: 'the path of a file',
    about: 'file that keeps what the mock remembers, except the journal, across restarts',
  },
  REAL_URL: {
    schema: { ...TEXT, format: 'real' },
    allowed: 'the base URL of the real service without a query, such as https://api.example.com',
    about: 'base URL of the real service, for check and record; https only',
    hidden: true,
    forCommands: true,
  },
  REAL_KEY: {
    schema: TEXT,
    allowed: 'a key',
    about: 'API key of the real service, for check and record',
    secret: true,
    forCommands: true,
  },
  REAL_KEY_FILE: {
    schema: TEXT,
    allowed: 'the path of a file, or - for standard input',
    about: 'file with the API key of the real service; - reads standard input',
    forCommands: true,
  },
  REAL_CA_FILE: {
    schema: TEXT,
    allowed: 'the path of a PEM file',
    about: "CA certificates to trust for the real service, instead of Node's own",
    forCommands: true,
  },
  SHUTDOWN_TIMEOUT: {
    ...integer(0, 3_600_000, 5000),
    about: 'how long shutdown waits for running requests, in ms',
  },
  LOG_LEVEL: {
    schema: {
      type: 'string',
      enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      default: 'info',
    },
    allowed: 'one of trace, debug, info, warn, error, fatal, silent',
    about: 'lowest level to log',
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Its names lack the prefix. */
export type SettingName = keyof typeof SETTINGS;

/** A setting without a value and without a default is `undefined`. */
export type Values = {
  readonly [Name in SettingName]:
    | ValueOf<(typeof SETTINGS)[Name]['schema']>
    | ((typeof SETTINGS)[Name]['schema'] extends { readonly default: unknown } ? never : undefined);
};

export const FLAG_SETTINGS = (Object.keys(SETTINGS) as SettingName[]).filter(
  (name) => !('secret' in SETTINGS[name]),
);

/** The flag of a setting: `--control-port` for `CONTROL_PORT`. */
export function flagOf(name: SettingName): string {
  return `--${name.toLowerCase().replaceAll('_', '-')}`;
}

export function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** A message that names each setting as the user set it, such as `--port` for `MOMO_MOCK_PORT`. */
export function withNames(
  message: string,
  nameOf: (setting: SettingName) => string | undefined,
): string {
  return message.replace(/MOMO_MOCK_([A-Z_]+)/g, (variable, name: string) =>
    isSetting(name) ? (nameOf(name) ?? variable) : variable,
  );
}

function integer(minimum: number, maximum: number, fallback: number) {
  return {
    schema: { type: 'integer', minimum, maximum, default: fallback },
    allowed: `a whole number from ${minimum} to ${maximum}`,
  } as const;
}
