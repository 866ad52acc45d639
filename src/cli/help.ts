import {
  FLAG_SETTINGS,
  flagOf,
  PREFIX,
  SETTINGS,
  type Setting,
  type SettingName,
} from '../config/settings.ts';
import type { Command } from './command-line.ts';

const OVERVIEW = `momo-mock: a mock server for a mobile money HTTP API

  momo-mock [serve]   start it
  momo-mock run       start it for the time that a command runs
  momo-mock cert      make or show the certificate to trust
  momo-mock health    check whether it is ready
  momo-mock init      copy the fixtures to edit them
  momo-mock COMMAND --help, --version

Examples:

  momo-mock init && momo-mock
  momo-mock run -- npm test
  momo-mock run --set MOMO_BASE_URL={url} --set MOMO_KEY={apikey} -- pytest`;

/** The help text of a command, or the overview. */
export function help(command: Command | undefined): string {
  const head = command === undefined ? OVERVIEW : `Usage: ${command.usage}`;
  return command?.listsSettings === false ? `${head}\n` : `${head}\n\n${settingsTable()}`;
}

function settingsTable(): string {
  const rows = Object.entries<Setting>(SETTINGS).map(([name, { schema, about }]) => {
    const setting = name as SettingName;
    const flag = FLAG_SETTINGS.includes(setting) ? flagOf(setting) : '(no flag)';
    const fallback = String(schema.default ?? '');
    const shown = fallback === '' ? '' : ` (default: ${fallback})`;
    return `  ${flag.padEnd(20)}${PREFIX}${name}\n      ${about}${shown}`;
  });
  return `Settings, as a flag, in the environment or in .env (flags win, then the environment):

${rows.join('\n')}
`;
}
