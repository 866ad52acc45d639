import { constants, copyFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { cannotWrite } from '../errors.ts';
import { parseFixtureName } from '../fixtures/fixture-name.ts';
import { createTreeFolder, findFiles, isLink } from '../fixtures/folder.ts';
import { Problems } from '../fixtures/problem.ts';
import { schemasFolder, shippedFixtures } from '../shipped/folders.ts';
import { type Preset, presetOf } from '../shipped/presets.ts';
import { type Command, type CommandLine, usageError } from './command-line.ts';

const { COPYFILE_EXCL } = constants;
/** The mock ignores this folder. */
const SCHEMAS = '_schemas';
const STATE = { 'state.json': { $schema: `./${SCHEMAS}/state-file.schema.json` } };
const SLOW_BALANCE = {
  'momo/balance.get.slow.response.json': {
    $schema: `../${SCHEMAS}/response.schema.json`,
    delay: { min: 2000, max: 4000 },
  },
};

export const init: Command = {
  usage: 'momo-mock init [--preset NAME] [--base none] [DIR]',
  about:
    "Copies the shipped fixtures, or a preset's, into DIR (default: fixtures) for you to edit. Existing files and links stay unchanged. It also writes JSON Schemas, so that editors can complete and validate state.json and .response.json files.",
  examples: ['momo-mock init', 'momo-mock init test/momo && momo-mock --fixtures-dir test/momo'],
  options: {
    preset: { value: 'NAME', about: 'copy the fixtures of this preset' },
    base: { value: 'none', about: 'copy no shipped fixtures, for an empty service' },
  },
  takesSettings: false,
  words: 1,
  run: copyFixtures,
};

async function copyFixtures({ words, options }: CommandLine): Promise<number> {
  const [folder = 'fixtures'] = words;
  const preset = options.preset?.at(-1);
  const base = options.base?.at(-1);
  if (![undefined, 'shipped', 'none'].includes(base)) {
    throw usageError('--base is neither shipped nor none. Use one of the two.');
  }
  const chosen: Pick<Preset, 'fixtures' | 'base'> =
    preset === undefined ? { fixtures: shippedFixtures } : presetOf(preset);
  const isEmpty = (base ?? chosen.base) === 'none';
  const tree = chosen.fixtures;
  const files = isEmpty && preset === undefined ? [] : await filesIn(tree);
  const [meanings, present] = await Promise.all([filesByMeaning(tree), filesByMeaning(folder)]);
  const same = new Map([...meanings].map(([meaning, path]) => [path, present.get(meaning)]));
  for (const file of files) {
    const from = join(tree, file);
    const existing = same.get(from);
    const name = existing === undefined ? file : relative(folder, existing);
    await place(folder, name, (target) => copyFile(from, target, COPYFILE_EXCL));
  }
  // Editors complete and validate files with the schemas beside them.
  for (const file of (await readdir(schemasFolder)).sort()) {
    const from = join(schemasFolder, file);
    await place(folder, join(SCHEMAS, file), (target) => copyFile(from, target));
  }
  for (const [file, content] of Object.entries({ ...STATE, ...(isEmpty ? {} : SLOW_BALANCE) })) {
    if (files.includes(file)) continue;
    const json = `${JSON.stringify(content, null, 2)}\n`;
    await place(folder, file, (target) => writeFile(target, json, { flag: 'wx' }));
  }
  const how = [
    'momo-mock',
    ...(preset === undefined ? [] : ['--preset', preset]),
    ...(base === undefined ? [] : ['--base', base]),
    ...(folder === 'fixtures' ? [] : ['--fixtures-dir', folder]),
  ].join(' ');
  process.stdout.write(`\nEdit the files, then start the mock: ${how}\n`);
  return 0;
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** Two files that define the same are an error, such as `balance.get.json` and `balance.get.js`. */
async function filesByMeaning(folder: string): Promise<Map<string, string>> {
  const problems = new Problems();
  const files = new Map<string, string>();
  for (const entry of findFiles(folder, problems)) {
    const file = await problems.collect(() => parseFixtureName(entry, 0, false));
    if (file !== undefined) files.set(file.identity, file.path);
  }
  return files;
}

/** An existing file or link stays unchanged. */
async function place(
  folder: string,
  file: string,
  write: (target: string) => Promise<void>,
): Promise<void> {
  const target = join(folder, file);
  await createTreeFolder(folder, dirname(target)).catch((error) => {
    throw cannotWrite(dirname(target), error);
  });
  let done = 'kept   ';
  try {
    if (!(await isLink(target))) {
      await write(target);
      done = 'written';
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(target, error);
  }
  process.stdout.write(`${done}  ${target}\n`);
}
