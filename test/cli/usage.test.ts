import fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceBuiltin } from '../support/builtin.ts';
import { run } from '../support/command-in-process.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';

/** A line that is wrong, and what is said of it: the whole sentence, or what it looks like. */
type Wrong = readonly [args: readonly string[], problem: string | RegExp];

const NO_SECRETS = /^keys and tokens have no flag, .+ Set MOMO_MOCK_API_KEYS, .+\.$/;
const ALL_COMMANDS =
  'The commands are serve, run, drill, cert, health, init, check, record, settings and help.';
const ALL_FLAGS = 'See momo-mock help COMMAND and momo-mock settings.';
const NO_COMMAND =
  'the command to run is missing. Write it after --, as in momo-mock run -- npm test.';

describe('a wrong command line ends with one sentence and exit code 2', () => {
  it.each<Wrong>([
    [['cert', 'word'], 'cert has too many arguments. See momo-mock cert --help.'],
    [['init', 'one', 'two'], 'init has too many arguments. See momo-mock init --help.'],
    [['init', 'one', '--', '-two'], 'init has too many arguments. See momo-mock init --help.'],
    [['help', 'help', 'run'], 'help has too many arguments. See momo-mock help --help.'],
    [['run', 'npm', '--', 'test'], 'run has too many arguments. See momo-mock run --help.'],
    [['run'], NO_COMMAND],
    [['run', '--'], NO_COMMAND],
    [['run', 'npm', 'test', '--watch'], NO_COMMAND],
    [['--open', '--control-port', 'off'], /^--open needs the control API, which is off\. /],
    [['--apikey', 'sekret'], NO_SECRETS],
    [['--api-keys=sekret'], NO_SECRETS],
    [['--API-KEY=sekret'], NO_SECRETS],
    [['--key', 'sekret'], NO_SECRETS],
    [['--control-token', 'sekret'], NO_SECRETS],
    [['check', '--real-key', 'sekret'], NO_SECRETS],
  ])('%j', async (args, problem) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const [, said] = /^Failed to read the command line: (.*)\n$/.exec(stderr) ?? [];
    expect(said).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
    expect(stderr).not.toContain('sekret');
  });

  it.each<Wrong>([
    [['srve'], 'Unknown command "srve". Did you mean serve?'],
    [['help', 'halth'], 'Unknown command "halth". Did you mean health?'],
    ...['start', 'server', 'up'].map((word): Wrong => [[word], /Did you mean serve\?$/]),
    [['exec'], 'Unknown command "exec". Did you mean run?'],
    [['certificate'], /Did you mean cert\?$/],
    [['status'], /Did you mean health\?$/],
    [['config'], /Did you mean settings\?$/],
    ...['foo', 'daemon', 'tests', 'install'].map(
      (word): Wrong => [['help', word], `Unknown command "${word}". ${ALL_COMMANDS}`],
    ),
    // They may be keys.
    ...['sekret_1', 'sekret7', 'sekret=empty', 'a'.repeat(21)].map(
      (word): Wrong => [[word], `Unknown command. ${ALL_COMMANDS}`],
    ),
    [['--prot', '1'], 'Unknown flag --prot. Did you mean --port?'],
    [['--hepl'], 'Unknown flag --hepl. Did you mean --help?'],
    [['--tls-hots', 'x'], 'Unknown flag --tls-hots. Did you mean --tls-hosts?'],
    [['--fixtures', 'x'], 'Unknown flag --fixtures. Did you mean --fixtures-dir?'],
    [['--verbose'], 'Unknown flag --verbose. Did you mean --log-level debug?'],
    [['--debug'], 'Unknown flag --debug. Did you mean --log-level debug?'],
    [['run', '--quiet', '--', 'true'], 'Unknown flag --quiet. Did you mean --log-level warn?'],
    [['--silent'], 'Unknown flag --silent. Did you mean --log-level silent?'],
    ...['config', 'daemon', 'https', 'expect-requests', '__proto__', 'keyboard'].map(
      (flag): Wrong => [[`--${flag}`], `Unknown flag --${flag}. ${ALL_FLAGS}`],
    ),
    [['settings', '--port', '1'], `Unknown flag --port. ${ALL_FLAGS}`],
    [['init', '--verbose'], `Unknown flag --verbose. ${ALL_FLAGS}`],
    [['-p', '1'], 'Unknown short flag. Write all flags but -h and -v in full, such as --port.'],
  ])('%j, which is unknown', async (args, problem) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const said = stderr.trimEnd();
    expect(said).toEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
    expect(stderr).not.toContain('sekret');
  });

  it.each([['--port'], ['--port='], ['--port', '--host', 'a'], ['--port', '-x']])(
    'for %s %s, whose value is missing',
    async (...args) => {
      const stderr = 'Failed to read --port: its value is missing. Write a value after it.\n';
      expect(await run(args)).toEqual({ code: 2, stdout: '', stderr });
    },
  );

  it.each([
    [
      'each flag once',
      ['--prot', '--hsot', '--prot'],
      ['Unknown flag --prot', 'Unknown flag --hsot'],
    ],
    [
      'each setting',
      ['--port', 'x', '--strict-paths=1x', '--log-level=loud'],
      [
        'Failed to read --port: "x" ',
        'Failed to read --strict-paths: "1x" ',
        'Failed to read --log-level: "loud" ',
      ],
    ],
  ])('but with several mistakes, with one sentence for %s', async (_what, flags, sentences) => {
    const { code, stderr } = await run(['cert', ...flags]);
    const lines = sentences.map((sentence) => expect.stringContaining(sentence));
    expect([code, ...stderr.trimEnd().split('\n')]).toEqual([2, ...lines]);
  });
});

describe('a flag', () => {
  it.each([
    [['cert', '--host', 'a', '--host', 'b'], '--host'],
    [['cert', '--port=1', '--port=1', '--port', '2'], '--port'],
    [['check', '--report', 'a', '--report', 'b'], '--report'],
  ])('with one value is refused if it is repeated: %j', async (args, flag) => {
    const stderr = `Failed to read ${flag}: it is given more than once, and takes one value. Use it once.\n`;
    expect(await run(args)).toEqual({ code: 2, stdout: '', stderr });
  });

  it.each([
    ['may begin with - behind =', ['--port=0', '--host=-x'], '--port is 0'],
    ['that is a switch takes no word', ['--strict-paths', 'true'], 'health has too many arguments'],
    ['that is a switch may be off', ['--port=0', '--strict-paths=false'], '--port is 0'],
  ])('%s', async (_what, flags, said) => {
    const { stderr } = await run(['health', '--control-port', 'off', ...flags]);
    expect(stderr).toContain(said);
  });
});

describe('an error other than wrong usage ends a command with exit code 1', () => {
  it.each([
    ['a bug', new TypeError('oops'), /^Failed to run: a bug in momo-mock\. TypeError: oops\n$/],
    [
      'too many open files',
      Object.assign(new Error('many'), { code: 'EMFILE' }),
      /^Failed to run: (?!a bug).+\. .+\.?\n$/,
    ],
  ])('%s', async (_what, error, sentence) => {
    replaceBuiltin(fs, 'readdir', () => Promise.reject(error));
    const ended = await run(['init', join(temporaryFolder(), 'tree')]);
    expect(ended).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(sentence) });
  });
});
