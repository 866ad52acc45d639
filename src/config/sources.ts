import { PREFIX, SETTINGS, type SettingName } from './settings.ts';

/** Where settings come from, the strongest first. */
export interface Sources {
  /** What flags gave, by setting. */
  readonly flags: Readonly<Partial<Record<SettingName, string>>>;
  /** The environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What `.env` holds. */
  readonly dotenv: Readonly<Record<string, string | undefined>>;
  /** What holds instead of a setting's own default. */
  readonly defaults?: Readonly<Partial<Record<SettingName, string>>>;
}

/** Values as they were given, and names that are no setting's. */
export interface Given {
  readonly values: Partial<Record<SettingName, string>>;
  readonly unknown: readonly string[];
}

/**
 * Lays the sources over each other: flags over the environment over `.env`. An empty value is as
 * good as none: that is how an unset variable of a compose file arrives.
 */
export function layer({ flags, env, dotenv, defaults }: Sources): Given {
  const values: Given['values'] = { ...defaults };
  const unknown = new Set<string>();
  for (const source of [dotenv, env]) {
    for (const [name, value] of Object.entries(source)) {
      if (!name.startsWith(PREFIX) || value === undefined || isServiceLink(name, value)) continue;
      if (GIVEN_BY_RUN.includes(name) && GIVEN_BY_RUN.every((given) => given in source)) continue;
      const setting = name.slice(PREFIX.length);
      if (!isSetting(setting)) unknown.add(name);
      else if (value !== '') values[setting] = value;
    }
  }
  return { values: { ...values, ...flags }, unknown: [...unknown] };
}

/**
 * What `momo-mock run` tells its command, which may be or start another momo-mock. Alone, one of
 * them is a mistyped setting.
 */
export const GIVEN_BY_RUN = ['URL', 'CONTROL_URL', 'APIKEY', 'CA'].map((name) => PREFIX + name);

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/**
 * Seen in the field: for a Service called `momo-mock`, Kubernetes puts `MOMO_MOCK_SERVICE_HOST`,
 * `MOMO_MOCK_PORT=tcp://10.0.0.1:8443`, `MOMO_MOCK_PORT_8443_TCP_ADDR` and more like these into
 * every pod. They are not meant for us.
 */
function isServiceLink(name: string, value: string): boolean {
  return (
    (/^\w+$/.test(name) && /_SERVICE_(HOST$|PORT$|PORT_\w)/.test(name)) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value))
  );
}
