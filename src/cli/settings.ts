import {
  FLAG_SETTINGS,
  flagOf,
  PREFIX,
  SETTINGS,
  type Setting,
  type SettingName,
} from '../settings/settings.ts';
import type { Command } from './command-line.ts';

export const settings: Command = {
  usage: 'momo-mock settings',
  about: 'Lists the settings: their flags, variables, defaults and allowed values.',
  examples: ['momo-mock settings'],
  takesSettings: false,
  run: listSettings,
};

async function listSettings(): Promise<number> {
  const rows = Object.entries<Setting>(SETTINGS).map(([name, { schema, about, allowed }]) => {
    const setting = name as SettingName;
    const flag = FLAG_SETTINGS.includes(setting) ? flagOf(setting) : '(no flag)';
    const fallback = String(schema.default ?? '');
    const suffix = fallback === '' ? '' : `; default: ${fallback}`;
    return `  ${flag.padEnd(20)}${PREFIX}${name}\n      ${about}\n      allowed: ${allowed}${suffix}`;
  });
  process.stdout.write(`Set a setting with a flag, an environment variable, or the file .env in the working folder.
Flags override the environment, the environment overrides .env, and .env overrides a preset's settings.

${rows.join('\n')}
`);
  return 0;
}
