import { constants, copyFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cannotWrite } from '../errors.ts';
import { isLink, makeFolder } from '../fixtures/folder.ts';
import { schemasFolder, shippedFixtures } from '../shipped.ts';
import type { Command, CommandLine } from './command-line.ts';

const { COPYFILE_EXCL } = constants;
/** The folder of the schemas in the tree, which the mock ignores. */
const SCHEMAS = '_schemas';
/** Files to begin with. */
const STARTERS = {
  'state.json': { $schema: `./${SCHEMAS}/state.schema.json` },
  'momo/balance.get.slow.response.json': {
    $schema: `../${SCHEMAS}/response.schema.json`,
    delay: { min: 2000, max: 4000 },
  },
};

/** `momo-mock init`: copies the shipped fixtures for editing. It keeps existing files. */
export const init: Command = {
  usage: 'momo-mock init [DIR]',
  about:
    'Copies the shipped fixtures into DIR (default: fixtures), where you can edit them. Existing files and links stay as they are. It also writes JSON Schemas, with which editors complete and check those that have fields of momo-mock.',
  examples: ['momo-mock init', 'momo-mock init test/momo && momo-mock --fixtures-dir test/momo'],
  takesSettings: false,
  words: 1,
  run: copyFixtures,
};

async function copyFixtures({ words: [folder = 'fixtures'] }: CommandLine): Promise<number> {
  const entries = await readdir(shippedFixtures, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(shippedFixtures.length + 1))
    .sort();
  for (const file of files) {
    const from = join(shippedFixtures, file);
    await place(folder, file, (target) => copyFile(from, target, COPYFILE_EXCL));
  }
  // With their schemas beside them, an editor completes the files that have fields of ours.
  for (const file of (await readdir(schemasFolder)).sort()) {
    const from = join(schemasFolder, file);
    await place(folder, join(SCHEMAS, file), (target) => copyFile(from, target));
  }
  for (const [file, content] of Object.entries(STARTERS)) {
    const json = `${JSON.stringify(content, null, 2)}\n`;
    await place(folder, file, (target) => writeFile(target, json, { flag: 'wx' }));
  }
  const how = folder === 'fixtures' ? 'momo-mock' : `momo-mock --fixtures-dir ${folder}`;
  process.stdout.write(`\nEdit the files, then start the mock: ${how}\n`);
  return 0;
}

/** Writes a file, and says so; or that it was kept, if it already exists, or is a link. */
async function place(
  folder: string,
  file: string,
  write: (target: string) => Promise<void>,
): Promise<void> {
  const target = join(folder, file);
  try {
    await makeFolder(folder, dirname(target));
  } catch (error) {
    throw cannotWrite(dirname(target), error);
  }
  if (await isLink(target)) {
    process.stdout.write(`kept     ${target}\n`);
    return;
  }
  try {
    await write(target);
    process.stdout.write(`written  ${target}\n`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(target, error);
    process.stdout.write(`kept     ${target}\n`);
  }
}
