import { constants, copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MomoMockError } from '../errors.ts';
import { shippedFixtures } from '../shipped.ts';
import type { Command, CommandLine } from './command-line.ts';

/** `momo-mock init`: copies the shipped fixtures for editing. It keeps existing files. */
export const init: Command = {
  usage: 'momo-mock init [DIR]',
  about:
    'Copies the shipped fixtures into DIR (default: fixtures), where you can edit them. Existing files stay as they are.',
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
    const target = join(folder, file);
    process.stdout.write(`${(await copy(file, target)) ? 'written' : 'kept   '}  ${target}\n`);
  }
  const how = folder === 'fixtures' ? 'momo-mock' : `momo-mock --fixtures-dir ${folder}`;
  process.stdout.write(`\nEdit the files, then start the mock: ${how}\n`);
  return 0;
}

/** @returns whether the file was written; `false` if it already exists */
async function copy(file: string, target: string): Promise<boolean> {
  try {
    await mkdir(dirname(target), { recursive: true });
  } catch (error) {
    throw writeError(dirname(target), error);
  }
  try {
    await copyFile(join(shippedFixtures, file), target, constants.COPYFILE_EXCL);
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
