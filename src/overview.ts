import { X509Certificate } from 'node:crypto';
import type { Overview } from './control/schemas.ts';
import { REDACTED } from './mock/redaction/redaction.ts';
import type { Config } from './settings/config.ts';
import { PREFIX, SETTINGS, type Setting } from './settings/settings.ts';
import type { Certificate } from './tls/certificate.ts';
import { namesOf } from './tls/names.ts';

/** The parts of a mock server that its overview shows. */
export interface OverviewParts {
  /** The version of the package. */
  readonly version: string;
  readonly config: Config;
  readonly certificate: Certificate;
  /** Base URL of the service. */
  readonly url: string;
  readonly startedAt: Date;
  /** Removes configured keys from a text. */
  readonly redact: (text: string) => string;
}

/** The overview of a mock server: its certificate and its settings, without secrets. */
export function overviewOf(parts: OverviewParts): Overview {
  const { version, config, certificate, url, startedAt, redact } = parts;
  const { chain, file, expiresAt } = certificate;
  return {
    version,
    startedAt: startedAt.toISOString(),
    url,
    certificate: {
      expiresAt: expiresAt.toISOString(),
      names: namesOf(new X509Certificate(chain)),
      file,
    },
    settings: settingsOf(config).map(({ name, value }) => {
      return { name: PREFIX + name, value: value && redact(value) };
    }),
  };
}

function settingsOf(config: Config): { name: string; value: string | null }[] {
  const { keys: _, isDefaultKey, ...values } = config;
  // The keys come from several sources, which the configuration does not keep.
  const all = { ...values, API_KEYS: isDefaultKey ? undefined : true };
  const settings = Object.entries<Setting>(SETTINGS).filter(([, one]) => !one.forCommands);
  return settings.map(([name, { secret }]) => {
    const value = (all as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || `${value}` === '') return { name, value: null };
    return { name, value: secret ? REDACTED : `${value}` };
  });
}
