import {
  hostList,
  integer,
  integerOrOff,
  keyList,
  oneOf,
  originList,
  text,
  yesOrNo,
} from './kinds.ts';

/** What the name of every setting begins with, so that an application's own names never collide. */
export const PREFIX = 'MOMO_MOCK_';

/**
 * The settings: the one table from which the schema, the configuration's type, the flags and the
 * help are made.
 */
export const SETTINGS = {
  HOST: {
    ...text('a host name or an address', 'localhost'),
    about: 'host the service listens on; localhost is both loopback addresses',
  },
  PORT: { ...integer(0, 65535, 8443), about: 'port of the service; 0 is any free port' },
  CONTROL_HOST: {
    ...text('a host name or an address', 'localhost'),
    about: 'host the control API listens on',
  },
  CONTROL_PORT: {
    ...integerOrOff(0, 65535, 8480),
    about: 'port of the control API; 0 is any free port, off is none',
  },
  CONTROL_TOKEN: {
    ...text('a token'),
    about: 'bearer token that the control API demands',
    secret: true,
  },
  API_KEYS: {
    ...keyList(),
    about: 'keys by comma, each KEY or KEY=VARIANT; without any there is momo_test_key',
    secret: true,
  },
  API_KEYS_FILE: {
    ...text('the path of a file, or - for standard input'),
    about: 'file with one KEY or KEY=VARIANT a line; - is standard input',
  },
  FIXTURES_DIR: {
    ...text('the path of a folder'),
    about: 'your fixture tree, laid over the shipped one (default: fixtures, if there)',
  },
  BALANCE_VARIANT: {
    ...text('the name of a variant'),
    about: 'variant of the balance for accounts that name none',
  },
  CERTS_DIR: {
    ...text('the path of a folder', 'certs'),
    about: 'folder where the certificate and its key are made and kept',
  },
  TLS_CERT_FILE: {
    ...text('the path of a PEM file'),
    about: 'your own certificate instead; with TLS_KEY_FILE',
  },
  TLS_KEY_FILE: {
    ...text('the path of a PEM file'),
    about: "your own certificate's private key",
  },
  TLS_HOSTS: { ...hostList(), about: 'more names for the certificate, by comma' },
  CORS_ORIGIN: { ...originList('*'), about: 'origins that may read answers, by comma; * or off' },
  STRICT_PATHS: {
    ...yesOrNo(false),
    about: 'no slash at the end of a path, and letter case matters',
  },
  JOURNAL_SIZE: {
    ...integer(0, 10_000_000, 10_000),
    about: 'how many requests are remembered',
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
    ...oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
    about: 'what is logged',
  },
} as const;

/** The name of a setting, without its prefix. */
export type SettingName = keyof typeof SETTINGS;

/** The settings that a flag can give: all but the secret ones, since process lists show flags. */
export const FLAG_SETTINGS = (Object.keys(SETTINGS) as SettingName[]).filter(
  (name) => !('secret' in SETTINGS[name]),
);

/** `CONTROL_PORT` is `--control-port`. */
export function flagOf(name: SettingName): string {
  return `--${name.toLowerCase().replaceAll('_', '-')}`;
}
