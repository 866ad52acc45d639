import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
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

const make = () => mkdtempSync(join(tmpdir(), 'momo-mock-certs-'));

function remove(folder: string): void {
  // A test may have taken the right to write from its owner.
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
}
