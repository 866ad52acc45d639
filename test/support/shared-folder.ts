import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What the tests of a run share, such as a certificate. `global-setup.ts` makes it, and removes it
 * at the end; a run without that has one for each process.
 */
export const SHARED_FOLDER =
  process.env.TEST_SHARED_FOLDER ?? mkdtempSync(join(tmpdir(), 'momo-mock-shared-'));

/** What the first start leaves in its folder. `global-setup.ts` makes it, and no test changes it. */
export const FIRST_START = join(SHARED_FOLDER, 'first-start');

/**
 * A folder that is filled once for all tests of a run, by the first that needs it. The others wait.
 *
 * @param fill puts into an empty folder what is to be there
 */
export async function onceForAll(
  name: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(SHARED_FOLDER, name);
  for (; !existsSync(folder); await sleep(50)) {
    if (!claims(`${folder}-claim`)) continue;
    try {
      // Another may have been done just before the claim.
      if (existsSync(folder)) break;
      const draft = mkdtempSync(`${folder}-`);
      await fill(draft);
      renameSync(draft, folder);
    } finally {
      rmdirSync(`${folder}-claim`);
    }
  }
  return folder;
}

function claims(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Puts into a folder the certificate of a first start. */
export function copyCertificate(folder: string): void {
  cpSync(FIRST_START, folder, { recursive: true });
}
