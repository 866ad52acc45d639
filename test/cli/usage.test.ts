import fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceBuiltin } from '../support/builtin.ts';
import { emptyFolder, run } from '../support/command-in-process.ts';

/** A line that is wrong, and what is said of it: the whole sentence, or what it looks like. */
type Wrong = readonly [args: readonly string[], problem: string | RegExp];

const NO_SECRETS = /^keys and tokens have no flag, .+ Set MOMO_MOCK_API_KEYS, .+\.$/;
const NO_COMMAND =
  'the command to run is missing. Write it after --, as in momo-mock run -- npm test.';

describe('a wrong command line ends with one sentence and exit code 2', () => {
  it.each<Wrong>([
    [
      ['srve'],
      'unknown command. The commands are serve, run, cert, health, init, check, record, settings. Did you mean serve?',
    ],
    [['help', 'halth'], /^unknown command\. .* Did you mean health\?$/],
    [['start'], /Did you mean serve\?$/],
    [['server'], /Did you mean serve\?$/],
    [['up'], /Did you mean serve\?$/],
    [['exec'], /Did you mean run\?$/],
    [['certificate'], /Did you mean cert\?$/],
    [['status'], /Did you mean health\?$/],
    [['config'], /Did you mean settings\?$/],
    [['cert', 'word'], 'cert has too many arguments. See momo-mock cert --help.'],
    [['init', 'one', 'two'], 'init has too many arguments. See momo-mock init --help.'],
    [['init', 'one', '--', '-two'], 'init has too many arguments. See momo-mock init --help.'],
    [['run', 'npm', '--', 'test'], 'run has too many arguments. See momo-mock run --help.'],
    [['run'], NO_COMMAND],
    [['run', '--'], NO_COMMAND],
    [['run', 'npm', 'test', '--watch'], NO_COMMAND],
    [['--expect-requests'], /^unknown flag --expect-requests\b/],
    [['--prot', '1'], 'unknown flag --prot. Did you mean --port?'],
    [['--hepl'], 'unknown flag --hepl. Did you mean --help?'],
    [['settings', '--port', '1'], /^unknown flag --port\. /],
    [['init', '--port', '1'], /^unknown flag --port\. /],
    [['-p', '1'], /^unknown short flag\. Did you mean --/],
    [['--__proto__'], /^unknown flag --__proto__\. /],
    [['--keyboard', 'x'], /^unknown flag --keyboard/],
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

  it.each([['--port'], ['--port='], ['--port', '--host', 'a'], ['--port', '-x']])(
    'for %s %s, whose value is missing',
    async (...args) => {
      const stderr = 'Failed to read --port: its value is missing. Write a value after it.\n';
      expect(await run(args)).toEqual({ code: 2, stdout: '', stderr });
    },
  );

  it.each([
    ['every flag', ['--prot', '--hsot', '--prot'], ['unknown flag --prot', 'unknown flag --hsot']],
    [
      'every setting',
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
    [
      'may have a value that begins with - after =',
      ['--port=0', '--host=-x'],
      'MOMO_MOCK_PORT is 0',
    ],
    ['that is a switch has no value', ['--strict-paths', 'true'], 'health has too many arguments'],
    ['that is a switch can be off', ['--port=0', '--strict-paths=false'], 'MOMO_MOCK_PORT is 0'],
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
    const ended = await run(['init', join(emptyFolder(), 'tree')]);
    expect(ended).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(sentence) });
  });
});
