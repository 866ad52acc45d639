import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { help } from '../../src/cli/help.ts';
import { COMMANDS } from '../../src/cli/main.ts';
import { run } from '../support/command-in-process.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

test.each([['--version'], ['-v'], ['run', '--version', '--', 'no-such-program']])(
  '%s %s writes the version alone',
  async (...args) => {
    expect(await run(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  },
);

test.each([['--help'], ['-h'], ['help']])('%s is an overview of the commands', async (flag) => {
  const { code, stdout, stderr } = await run([flag]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^momo-mock: a mock server.+\n {2}momo-mock \[serve\] .+[^\n]\n$/s);
});

test.each(COMMANDS)('%s --help is its own help', async (name) => {
  const { code, stdout } = await run([name, '--help']);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^Usage: momo-mock \\[?${name}`));
  expect(stdout.includes('Settings have flags too')).toBe(!['init', 'settings'].includes(name));
  expect(await run(['help', name])).toEqual({ code: 0, stdout, stderr: '' });
});

test('the help of a command is paragraphs, and one line for each flag', async () => {
  const about = 'Does it.';
  const options = {
    file: { type: 'string', value: 'FILE', about: 'the file' },
    fast: { type: 'boolean', about: 'do it fast' },
  } as const;
  const command = { usage: 'it [flags]', about, options, run: async () => 0 };
  expect(
    help({ ...command, examples: ['it', 'it --fast'], takesSettings: false }),
  ).toBe(`Usage: it [flags]

Does it.

Flags:

  --file FILE             the file
  --fast                  do it fast
  --help                  show this text

Examples:

  it
  it --fast
`);
});

test('settings lists each with its flag, variable, default and what is allowed', async () => {
  const { code, stdout, stderr } = await run(['settings']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Set a setting by a flag, .+\n\n {2}--host .+[^\n]\n$/s);
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

test.each([
  ['start', 'serve'],
  ['server', 'serve'],
  ['up', 'serve'],
  ['exec', 'run'],
  ['certificate', 'cert'],
  ['status', 'health'],
  ['config', 'settings'],
])('%s leads to %s', async (word, name) => {
  const { code, stderr } = await run([word]);
  expect(code).toBe(2);
  expect(stderr).toContain(`Did you mean ${name}?\n`);
});

test.each([
  [
    ['srve'],
    'unknown command. The commands are serve, run, cert, health, init, settings. Did you mean serve?',
  ],
  [['cert', 'word'], 'cert has too many arguments. See momo-mock cert --help.'],
  [['run', 'npm', '--', 'test'], 'run has too many arguments. See momo-mock run --help.'],
  [['run', 'npm', 'test', '--watch'], /^there is no command to run\. Write it after --, /],
  [['--expect-requests'], /^unknown flag --expect-requests\b/],
  [['help', 'halth'], /^unknown command\. .* Did you mean health\?$/],
  [['init', 'one', 'two'], 'init has too many arguments. See momo-mock init --help.'],
  [['--prot', '1'], 'unknown flag --prot. Did you mean --port?'],
  [['-p', '1'], /^unknown short flag\. Did you mean --/],
  [['--__proto__'], /^unknown flag --__proto__\. /],
  [['--apikey', 'sekret'], /^keys and tokens have no flag, .*MOMO_MOCK_API_KEYS/],
  [['--api-keys=sekret'], /^keys and tokens have no flag/],
  [['--API-KEY=sekret'], /^keys and tokens have no flag/],
  [['--key', 'sekret'], /^keys and tokens have no flag/],
  [['--control-token', 'sekret'], /^keys and tokens have no flag/],
  [['--keyboard', 'x'], /^unknown flag --keyboard/],
])('%j is wrong usage', async (args, problem) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  const [, said] = /^Failed to read the command line: (.*)\n$/.exec(stderr) ?? [];
  expect(said).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
  expect(stderr).not.toContain('sekret');
});

test.each([['--port'], ['--port='], ['--port', '--host', 'a'], ['--port', '-x']])(
  'the value of %s %s is missing',
  async (...args) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'Failed to read --port: its value is missing. Write a value after it.\n',
    );
  },
);

test('all flags that are wrong are reported, each once', async () => {
  const { stderr } = await run(['cert', '--prot', '--hsot', '--prot']);
  expect(stderr.match(/unknown flag --\w+/g)).toEqual([
    'unknown flag --prot',
    'unknown flag --hsot',
  ]);
});

test('settings that are wrong are wrong usage, too', async () => {
  const { code, stderr } = await run(['cert', '--port', 'x', '--strict-paths', '--log-level=loud']);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^Failed to read --port: "x" .+\nFailed to read --log-level: "loud" .+\n$/,
  );
});

test.each([
  ['a bug', new TypeError('oops'), 'Failed to run: a bug in momo-mock. TypeError: oops\n'],
  [
    'too many open files',
    Object.assign(new Error('many'), { code: 'EMFILE' }),
    /^Failed to run: .+\. .+\.?\n$/,
  ],
])('%s is no wrong usage', async (_case, error, sentence) => {
  const { cert } = await import('../../src/cli/cert.ts');
  vi.spyOn(cert, 'run').mockRejectedValue(error);
  const { code, stderr } = await run(['cert']);
  vi.restoreAllMocks();
  expect(code).toBe(1);
  expect(stderr).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence));
  expect(stderr.includes('a bug')).toBe(typeof sentence === 'string');
});
