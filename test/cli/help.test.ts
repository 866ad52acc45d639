import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { run } from '../support/command-in-process.ts';

const COMMANDS = [
  ...['serve', 'run', 'drill', 'cert', 'health', 'init', 'check', 'record', 'settings'],
];

describe('help', () => {
  it.each(['--help', '-h', 'help', 'help help', 'help --help'])(
    '%s is an overview of the commands',
    async (line) => {
      const { code, stdout, stderr } = await run(line.split(' '));
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^momo-mock: a mock server.+\n {2}momo-mock \[serve\] .+[^\n]\n$/s);
      for (const command of COMMANDS) expect(stdout).toContain(command);
    },
  );

  it.each(COMMANDS)('for %s is the same in three spellings', async (name) => {
    const expected = await run([name, '--help']);
    expect(expected).toMatchObject({ code: 0, stderr: '' });
    expect(expected.stdout).toMatch(new RegExp(`^Usage: momo-mock \\[?${name}`));
    expect(await run(['help', name])).toEqual(expected);
    expect(await run([name, '-h'])).toEqual(expected);
  });

  it('has paragraphs, and one line for each flag', async () => {
    expect((await run(['serve', '--help'])).stdout).toBe(`Usage: momo-mock [serve] [flags]

Starts the mock and stops it on SIGINT, SIGTERM or SIGHUP.

Flags:

  --open                  open the live page in the browser
  --help                  show this text

Settings have flags too, such as --log-level warn. To list the settings: momo-mock settings

Examples:

  momo-mock
  momo-mock --port 0 --variant empty
  MOMO_MOCK_API_KEYS=test_alice,test_bob=empty momo-mock
  printenv MY_KEY | momo-mock --api-keys-file -
`);
  });

  it.each(COMMANDS)('for %s names the settings whose flags it accepts', async (name) => {
    const takesNone = ['init', 'settings'].includes(name);
    const { stdout } = await run([name, '--help']);
    expect(stdout.includes('Settings have flags too')).toBe(!takesNone);
  });

  it('shows the name of a value after its flag', async () => {
    const { stdout } = await run(['run', '--help']);
    expect(stdout).toContain(
      '\n  --set NAME=TEMPLATE     set another variable; placeholders: {url} ',
    );
  });
});

it.each([['--version'], ['-v'], ['run', '--version', '--', 'no-such-program']])(
  '%s %s prints only the version',
  async (...args) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await run(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  },
);

it('momo-mock settings lists each setting with its flag, variable, default and allowed values', async () => {
  const { code, stdout, stderr } = await run(['settings']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Set a setting with a flag, .+\n\n {2}--host .+[^\n]\n$/s);
  expect(stdout).toContain(`
  --port              MOMO_MOCK_PORT
      port of the service; 0 chooses a free port
      allowed: a whole number from 0 to 65535; default: 8443
  --control-host `);
  expect(stdout).toContain(`
  (no flag)           MOMO_MOCK_CONTROL_TOKEN
      bearer token that requests to the control API must carry
      allowed: a token
`);
  expect(stdout).toContain('\n  (no flag)           MOMO_MOCK_API_KEYS\n');
});
