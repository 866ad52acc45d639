import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * What the tests of a run share, such as a certificate. `global-setup.ts` makes it, and removes it
 * at the end; a run without that has one for each process.
 */
export const SHARED_FOLDER =
  process.env.TEST_SHARED_FOLDER ?? mkdtempSync(join(tmpdir(), 'momo-mock-shared-'));
