import { describe, expect, test } from 'vitest';
import { type Command, parseCommandLine } from '../../src/cli/command-line.ts';

const run = async () => 0;
const plain: Command = { usage: '', about: '', examples: [], run };
const runner: Command = {
  ...plain,
  runsAnother: true,
  options: {
    set: { type: 'string', multiple: true, about: '' },
    loud: { type: 'boolean', about: '' },
  },
};

describe('a command line', () => {
  test('gives settings by flags, and words', () => {
    expect(parseCommandLine(['a', '--port', '1', '--host=x', 'b', '--port', '2'], plain)).toEqual({
      flags: { PORT: '2', HOST: 'x' },
      options: {},
      words: ['a', 'b'],
      behind: [],
      wantsHelp: false,
    });
  });

  test.each([
    [['--strict-paths'], 'true'],
    [['--strict-paths=false'], 'false'],
  ])('%j is a switch', (args, value) => {
    expect(parseCommandLine(args, plain).flags).toEqual({ STRICT_PATHS: value });
  });

  test('takes - as a value, and a value that begins so behind =', () => {
    const { flags } = parseCommandLine(['--api-keys-file', '-', '--host=-x'], plain);
    expect(flags).toEqual({ API_KEYS_FILE: '-', HOST: '-x' });
  });

  test('gives the options of a command in order, and what another command is', () => {
    const args = ['run', '--set', 'a', '--loud', '--set=b', '--', 'npm', '--port', '--', 'x'];
    expect(parseCommandLine(args, runner)).toEqual({
      flags: {},
      options: { set: ['a', 'b'], loud: ['true'] },
      words: ['run'],
      behind: ['npm', '--port', '--', 'x'],
      wantsHelp: false,
    });
  });

  test('has an empty list for an option that is not given', () => {
    expect(parseCommandLine(['run', '--', 'x'], runner).options).toEqual({ set: [], loud: [] });
  });

  test('has no flags of settings for a command that takes none', () => {
    expect(() => parseCommandLine(['--port', '1'], { ...plain, takesSettings: false })).toThrow(
      'Failed to read the command line: unknown flag --port.',
    );
  });

  test('needs a command behind -- where it runs another, but for help', () => {
    for (const args of [['run'], ['run', '--'], ['run', 'npm', 'test']]) {
      expect(() => parseCommandLine(args, runner)).toThrow(
        'Failed to read the command line: there is no command to run. Write it after --, as in momo-mock run -- npm test.',
      );
    }
    expect(parseCommandLine(['run', '-h'], runner).wantsHelp).toBe(true);
  });

  test('words behind -- are words of a command that runs no other', () => {
    expect(parseCommandLine(['init', '--', '-dir'], plain).words).toEqual(['init', '-dir']);
  });
});
