import { expect, it } from 'vitest';
import {
  check,
  drill,
  init,
  PREFIX,
  RUN_VARIABLES,
  readArguments,
  record,
  run,
  SETTINGS,
  type SettingName,
} from '../support/program.ts';
import { codeOf, DOCUMENTS, errorCauses, readDocument } from './documents.ts';

/** What a document says of today: the CHANGELOG also has a table of former names. */
const today = (path: string) => readDocument(path).replace(/^### Renamed before.*/ms, '');

const NAMES = Object.keys(SETTINGS) as SettingName[];

it.each(DOCUMENTS)('%s names no setting, and no code of an error, that does not exist', (path) => {
  const known = [...NAMES.map((name) => PREFIX + name), ...RUN_VARIABLES, ...errorCauses().keys()];
  const named = today(path).match(/\bMOMO_MOCK_[A-Z_]*[A-Z]\b/g) ?? [];
  // The preset names more variables of the drill.
  const unknown = named.filter((name) => !known.includes(name) && !/^MOMO_MOCK_DRILL_/.test(name));
  expect(unknown).toEqual([]);
});

/** The flags of commands, which are no settings. */
const OWN_FLAGS = {
  ...init.options,
  ...run.options,
  ...drill.options,
  ...check.options,
  ...record.options,
};

/** Flags of curl and Deno. */
const OTHERS = ['--ssl-no-revoke', '--allow-env', '--allow-read'];

/** A call of momo-mock, maybe with settings or a pipe before it. */
const CALL =
  /^(?:\$ )?(?:[A-Z_]+=\S+ |printenv \w+ \| )*(?:npx )?momo-mock(?: +(.*?))?(?: > \S+)?(?: &)?$/;

function wordsOf(args: string): string[] {
  const words = args.match(/(?:'[^']*'|[^'\s])+/g) ?? [];
  return words.map((word) => word.replaceAll("'", ''));
}

it.each(DOCUMENTS)('%s shows no call of momo-mock, and no flag, that is an error', async (path) => {
  const code = codeOf(today(path));
  const calls = code.flatMap((line) => CALL.exec(line)?.slice(1) ?? []);
  const flags = code.filter(
    (line) => /^--[a-z-]+$/.test(line) && !(line.slice(2) in OWN_FLAGS) && !OTHERS.includes(line),
  );
  for (const args of calls) {
    // A name, alone or with a flag, mentions a command and does not call it.
    const whole = (args ?? '')
      .replace(/^run( --[a-z-]+)?$/, (_all, flag) => `run${flag ? `${flag}=X` : ''} -- COMMAND`)
      .replace(/^help COMMAND$/, 'help');
    await readArguments(wordsOf(whole));
  }
  for (const flag of flags) await readArguments([`${flag}=1`]);
});

it('finds the calls that pages show', () => {
  const calls = codeOf(readDocument('docs/command-line.md')).filter((line) => CALL.test(line));
  expect(calls.length).toBeGreaterThan(4);
});
