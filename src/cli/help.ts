import type { Command } from './command-line.ts';

const OVERVIEW = `momo-mock: a mock server for a mobile money HTTP API

Commands:

  momo-mock [serve]        start the mock
  momo-mock run            start the mock while another command runs
  momo-mock drill          run your application through failures, and judge the money
  momo-mock cert           create or show the certificate that clients trust
  momo-mock health         check whether the mock is ready
  momo-mock init           copy the shipped fixtures for you to edit
  momo-mock check          check that the real service still matches the fixtures
  momo-mock record         record the shape of a real response, without its values
  momo-mock settings       list the settings
  momo-mock help COMMAND   show the flags and examples of a command
  momo-mock --version      show the version

Examples:

  momo-mock
  momo-mock --port 0 --variant empty
  momo-mock init && momo-mock
  momo-mock run -- npm test`;

/** The width of the column with the flags. */
const WIDTH = 24;

export function help(command: Command | undefined): string {
  if (command === undefined) return `${OVERVIEW}\n`;
  const { usage, about, examples, options = {}, takesSettings = true } = command;
  const flags: Command['options'] = {
    ...options,
    help: { about: 'show this text' },
  };
  const rows = Object.entries(flags).map(
    ([name, { value = '', about: does }]) => `  ${`--${name} ${value}`.padEnd(WIDTH)}${does}`,
  );
  const paragraphs = [
    `Usage: ${usage}`,
    about,
    `Flags:\n\n${rows.join('\n')}`,
    ...(takesSettings
      ? [
          'Settings have flags too, such as --log-level warn. To list the settings: momo-mock settings',
        ]
      : []),
    `Examples:\n\n${examples.map((line) => `  ${line}`).join('\n')}`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}
