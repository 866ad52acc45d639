import { REDACTED } from '../mock/redaction/redaction.ts';
import type { Config } from './config.ts';
import { PREFIX, SETTINGS, type Setting } from './settings.ts';

/** The settings for the overview of a running mock, without secrets. */
export function settingsIn(
  config: Config,
  redactor: { redact(text: string): string },
): { name: string; value: string | null }[] {
  const { keys: _, isDefaultKey, ...values } = config;
  // The keys come from several sources, which the configuration does not keep.
  const texts = { ...values, API_KEYS: isDefaultKey ? undefined : true };
  const settings = Object.entries<Setting>(SETTINGS).filter(([, setting]) => !setting.forCommands);
  return settings.map(([name, { secret }]) => {
    const value = (texts as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || `${value}` === '') return { name: PREFIX + name, value: null };
    return { name: PREFIX + name, value: secret ? REDACTED : redactor.redact(`${value}`) };
  });
}
