import { constants, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MomoMockError } from '../errors.ts';
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
    'Copies the shipped fixtures into DIR (default: fixtures), where you can edit them. Existing files stay as they are. It also writes JSON Schemas, with which editors complete and check those that have fields of momo-mock.',
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
  const tell = (isWritten: boolean, target: string) =>
    process.stdout.write(`${isWritten ? 'written' : 'kept   '}  ${target}\n`);
  for (const file of files) {
    const target = join(folder, file);
    tell(
      await write(target, () => copyFile(join(shippedFixtures, file), target, COPYFILE_EXCL)),
      target,
    );
  }
  // With their schemas beside them, an editor completes the files that have fields of ours.
  for (const file of (await readdir(schemasFolder)).sort()) {
    const target = join(folder, SCHEMAS, file);
    tell(await write(target, () => copyFile(join(schemasFolder, file), target)), target);
  }
  for (const [file, content] of Object.entries(STARTERS)) {
    const target = join(folder, file);
    const json = `${JSON.stringify(content, null, 2)}\n`;
    tell(await write(target, () => writeFile(target, json, { flag: 'wx' })), target);
  }
  const how = folder === 'fixtures' ? 'momo-mock' : `momo-mock --fixtures-dir ${folder}`;
  process.stdout.write(`\nEdit the files, then start the mock: ${how}\n`);
  return 0;
}

/** @returns whether the file was written; `false` if it already exists */
async function write(target: string, act: () => Promise<void>): Promise<boolean> {
  try {
    await mkdir(dirname(target), { recursive: true });
  } catch (error) {
    throw writeError(dirname(target), error);
  }
  try {
    await act();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw writeError(target, error);
  }
}

function writeError(path: string, cause: unknown): MomoMockError {
  const { code } = cause as NodeJS.ErrnoException;
  const message = `Failed to write ${path}: ${code}. Use a writable folder.`;
  return new MomoMockError('MOMO_MOCK_FOLDER_UNUSABLE', message, { cause });
}
