import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that goes away with the test that is running. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'momo-mock-certs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
