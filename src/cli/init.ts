import { constants, copyFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { cannotWrite } from '../errors.ts';
import { parseFixtureName } from '../fixtures/fixture-name.ts';
import { createTreeFolder, findFiles, isLink } from '../fixtures/folder.ts';
import { Problems } from '../fixtures/problem.ts';
import { schemasFolder, shippedFixtures } from '../shipped/folders.ts';
import { presetOf } from '../shipped/presets.ts';
import type { Command, CommandLine } from './command-line.ts';

const { COPYFILE_EXCL } = constants;
/** The mock ignores this folder. */
const SCHEMAS = '_schemas';
const STARTERS = {
  'state.json': { $schema: `./${SCHEMAS}/state-file.schema.json` },
  'momo/balance.get.slow.response.json': {
    $schema: `../${SCHEMAS}/response.schema.json`,
    delay: { min: 2000, max: 4000 },
  },
};

export const init: Command = {
  usage: 'momo-mock init [--preset NAME] [DIR]',
  about:
    "Copies the shipped fixtures, or a preset's, into DIR (default: fixtures) for you to edit. Existing files and links stay unchanged. It also writes JSON Schemas, so that editors can complete and validate state.json and .response.json files.",
  examples: ['momo-mock init', 'momo-mock init test/momo && momo-mock --fixtures-dir test/momo'],
  options: {
    preset: { value: 'NAME', about: 'copy the fixtures of this preset' },
  },
  takesSettings: false,
  words: 1,
  run: copyFixtures,
};

async function copyFixtures({ words, options }: CommandLine): Promise<number> {
  const [folder = 'fixtures'] = words;
  const preset = options.preset?.at(-1);
  const tree = preset === undefined ? shippedFixtures : presetOf(preset).fixtures;
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(tree.length + 1))
    .sort();
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
  for (const [file, content] of Object.entries(STARTERS)) {
    if (files.includes(file)) continue;
    const json = `${JSON.stringify(content, null, 2)}\n`;
    await place(folder, file, (target) => writeFile(target, json, { flag: 'wx' }));
  }
  const how = [
    'momo-mock',
    ...(preset === undefined ? [] : ['--preset', preset]),
    ...(folder === 'fixtures' ? [] : ['--fixtures-dir', folder]),
  ].join(' ');
  process.stdout.write(`\nEdit the files, then start the mock: ${how}\n`);
  return 0;
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
