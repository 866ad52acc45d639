import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { timeOfDay } from '../timers.ts';

const DRAFT_PREFIX = '.momo-mock-';
/** An older draft belongs to a killed process. */
const MAX_DRAFT_AGE_MS = 60_000;

/**
 * Writes a whole file or nothing, even if the process is killed or others write the same file.
 *
 * @returns `false` if the file should be new, but another process has created it
 */
export function writeAtomically(
  path: string,
  text: string,
  { mode, isNew = false }: { mode: number; isNew?: boolean },
): boolean {
  createFolder(dirname(path));
  const draft = join(dirname(path), `${DRAFT_PREFIX}${randomUUID()}`);
  try {
    writeFileSync(draft, text, { mode, flag: 'wx', flush: true });
    // The umask may have removed bits. A file system without modes may refuse, which is harmless.
    attempt(() => chmodSync(draft, mode));
    // Unlike a rename, a link fails if the file exists. Some file systems have no links.
    if (isNew && attempt(() => linkSync(draft, path))) return true;
    if (isNew && existsSync(path)) return false;
    renameSync(draft, path);
    return true;
  } finally {
    attempt(() => rmSync(draft, { force: true }));
  }
}

/** Deletes the drafts that killed processes left, if this process is allowed to. */
export function deleteDrafts(folder: string): void {
  attempt(() => {
    for (const name of readdirSync(folder).filter((name) => name.startsWith(DRAFT_PREFIX))) {
      const draft = join(folder, name);
      const age = Math.abs(timeOfDay() - statSync(draft).mtimeMs);
      if (age > MAX_DRAFT_AGE_MS) rmSync(draft);
    }
  });
}

// Not `recursive: true`: with it, Node never returns for a folder such as /proc/certs, whose parent
// exists although mkdir fails with ENOENT.
function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
