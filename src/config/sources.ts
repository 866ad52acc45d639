import { PREFIX, SETTINGS, type SettingName } from './settings.ts';

/** The settings as text, by name without the prefix. */
export type SettingTexts = Readonly<Partial<Record<SettingName, string>>>;

/** The sources of the settings, highest precedence first. */
export interface Sources {
  readonly flags: SettingTexts;
  /** The environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The content of `.env`. */
  readonly dotenv: Readonly<Record<string, string | undefined>>;
  /** Defaults that replace those of the settings. */
  readonly defaults?: SettingTexts;
}

/**
 * Merges the sources: flags win over the environment, the environment over `.env`. An empty
 * variable counts as unset, because compose files pass unset variables as empty ones.
 *
 * @returns the texts of the settings, and the variables with the prefix that are not settings
 */
export function layer({ flags, env, dotenv, defaults }: Sources): {
  texts: SettingTexts;
  unknown: readonly string[];
} {
  const texts: Partial<Record<SettingName, string>> = { ...defaults };
  const unknown = new Set<string>();
  for (const source of [dotenv, env]) {
    for (const [name, value] of Object.entries(source)) {
      if (!name.startsWith(PREFIX) || value === undefined || isServiceLink(name, value)) continue;
      if (GIVEN_BY_RUN.includes(name)) continue;
      const setting = name.slice(PREFIX.length);
      if (!isSetting(setting)) unknown.add(name);
      else if (value !== '') texts[setting] = value;
    }
  }
  return { texts: { ...texts, ...flags }, unknown: [...unknown] };
}

/**
 * The variables that `momo-mock run` sets for its command. They are not settings, but another
 * momo-mock may find them: the command may start one, and projects put them into `.env`.
 */
export const GIVEN_BY_RUN = ['URL', 'CONTROL_URL', 'APIKEY', 'CA'].map((name) => PREFIX + name);

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

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
