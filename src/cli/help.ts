import { FLAG_SETTINGS, flagOf, PREFIX, SETTINGS, type SettingName } from '../config/settings.ts';
import type { CommandName } from './arguments.ts';

const USAGE: Readonly<Record<CommandName, string>> = {
  serve: `momo-mock [serve] [flags]

Starts the mock and stops it on SIGINT or SIGTERM.

  momo-mock
  momo-mock --port 0 --balance-variant empty
  MOMO_MOCK_API_KEYS=test_alice,test_bob=empty momo-mock
  printenv MY_KEY | momo-mock --api-keys-file -`,
  run: `momo-mock run [--set NAME=TEMPLATE]... [--proxy] [--expect-requests] [flags] -- COMMAND...

Starts the mock on free ports, runs the command with all that it needs to reach and trust it,
and ends with the exit status of the command. The command is told MOMO_MOCK_URL,
MOMO_MOCK_CONTROL_URL, MOMO_MOCK_APIKEY and MOMO_MOCK_CA (a file).
Each --set is one more variable for it; {url}, {controlUrl}, {apikey}, {ca}, {bundle}, {port},
{controlPort} and {proxy} are filled in. With --proxy, HTTPS_PROXY leads the names of --host and
--tls-hosts to the mock. With --expect-requests, a mock that is not used is a failure.

  momo-mock run -- npm test
  momo-mock run --set MOMO_BASE_URL={url} --set MOMO_KEY={apikey} -- pytest
  momo-mock run --proxy --host api.example.com -- npm test
  momo-mock run --expect-requests --balance-variant empty -- npm test`,
  cert: `momo-mock cert [--host NAME]... [flags]

Makes the certificate where there is none, and shows it, without starting the mock.
Each --host is one more name for it.

  momo-mock cert --host momo.test --host 10.0.0.5`,
  health: `momo-mock health [flags]

Exits with 0 if a mock with the same settings is up and ready on this machine, else with 1.

  momo-mock health --control-port 8480`,
  init: `momo-mock init [DIR]

Copies the shipped fixture tree into DIR (default: fixtures) to edit. Never overwrites.

  momo-mock init
  momo-mock init test/momo && momo-mock --fixtures-dir test/momo`,
};

const OVERVIEW = `momo-mock: a mock server for a mobile money HTTP API

  momo-mock [serve]   start it
  momo-mock run       start it for the time that a command runs
  momo-mock cert      make or show the certificate to trust
  momo-mock health    tell whether it is ready
  momo-mock init      copy the fixtures to edit them
  momo-mock COMMAND --help, --version

Examples:

  momo-mock init && momo-mock
  momo-mock run -- npm test
  momo-mock run --set MOMO_BASE_URL={url} --set MOMO_KEY={apikey} -- pytest`;

/** The help text of a command, or the overview. */
export function help(command: CommandName | undefined): string {
  const head = command === undefined ? OVERVIEW : `Usage: ${USAGE[command]}`;
  return command === 'init' ? `${head}\n` : `${head}\n\n${settingsTable()}`;
}

function settingsTable(): string {
  const rows = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const { schema, about } = SETTINGS[name];
    const fallback = 'default' in schema ? schema.default : undefined;
    const flag = FLAG_SETTINGS.includes(name) ? flagOf(name) : '(no flag)';
    const shown = fallback === undefined || fallback === '' ? '' : ` (default: ${fallback})`;
    return [flag, PREFIX + name, about + shown] as const;
  });
  const lines = rows.map(
    ([flag, name, about]) => `  ${flag.padEnd(20)}${name.padEnd(28)}\n      ${about}`,
  );
  return `Settings, as a flag, in the environment or in .env (flags win, then the environment):

${lines.map((line) => line.replace(/ +\n/, '\n')).join('\n')}
`;
}
