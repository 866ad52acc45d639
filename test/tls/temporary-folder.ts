import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A folder that goes away with the test that is running. */
export function temporaryFolder(): string {
  const folder = make();
  onTestFinished(() => remove(folder));
  return folder;
}

/** A folder for all the tests of a file, or of the `describe` in which this is called. */
export function sharedFolder(): string {
  const folder = make();
  afterAll(() => remove(folder));
  return folder;
}

/** Removes the hidden files with which processes agree, as a later start does. */
export function removeSuccessors(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith('.momo-mock-')) rmSync(join(folder, name));
  }
}

const make = () => mkdtempSync(join(tmpdir(), 'momo-mock-certs-'));
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });
