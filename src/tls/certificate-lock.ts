import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { sleep, timeOfDay } from '../timers.ts';
import { errorCode } from './certificate-error.ts';

const LOCK = '.momo-mock.lock';
/** How long a lock may be held, in ms. Writing two small files takes a few milliseconds. */
const STALE_MS = 3000;
/** The pause between two attempts to take the lock, in ms. */
const PAUSE_MS = 20;

/**
 * Replaces files of a folder under a lock, each one atomically, unless the folder has changed since
 * the caller read it. The caller reads the folder again in either case.
 *
 * The lock is the folder `.momo-mock.lock`: the process that creates it holds it. The holder writes
 * the new files into the lock folder and then renames them to their final paths.
 *
 * - A killed process leaves only the lock, which the next process removes when it is older than
 *   `STALE_MS`.
 * - A process that was suspended for longer has lost its files together with the lock. Renaming
 *   them fails, so it cannot overwrite the files that another process wrote in the meantime.
 *
 * @param files absolute paths in the folder, with their new texts
 * @param isUnchanged whether the folder is still as the caller read it
 * @throws the file system's error if the folder cannot be written
 */
export async function replaceFiles(
  folder: string,
  files: readonly { path: string; text: string; mode: number }[],
  isUnchanged: () => boolean,
): Promise<void> {
  makeFolder(folder);
  const lock = join(folder, LOCK);
  while (!takeLock(lock)) {
    removeStaleLock(lock);
    await sleep(PAUSE_MS);
  }
  const id = randomUUID();
  const moves = files.map((file, index) => ({ ...file, from: join(lock, `${id}-${index}`) }));
  try {
    for (const { from, text, mode } of moves) writeNew(from, text, mode);
    // There are other files only if this process was suspended between creating the lock and
    // writing into it, and another process holds the lock now.
    if (readdirSync(lock).length > moves.length || !isUnchanged()) return;
    for (const { from, path } of moves) renameSync(from, path);
  } catch (error) {
    // ENOENT: this process has lost the lock.
    if (errorCode(error) !== 'ENOENT') throw error;
  } finally {
    for (const { from } of moves) attempt(() => rmSync(from, { force: true }));
    attempt(() => rmdirSync(lock));
  }
}

/** Removes the lock of a killed process with the files in it, if this process is allowed to. */
export function removeLeftovers(folder: string): void {
  attempt(() => removeStaleLock(join(folder, LOCK)));
}

function removeStaleLock(lock: string): void {
  const takenAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? timeOfDay();
  // The absolute value, so that the lock does not stay for years if the clock was set back.
  if (Math.abs(timeOfDay() - takenAt) < STALE_MS) return;
  try {
    rmSync(lock, { recursive: true, force: true });
  } catch (error) {
    // ENOTEMPTY: another process has removed the lock and holds a new one.
    if (errorCode(error) !== 'ENOTEMPTY') throw error;
  }
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function writeNew(file: string, text: string, mode: number): void {
  writeFileSync(file, text, { mode, flag: 'wx', flush: true });
  // The umask may have removed bits. A file system without modes may refuse, which is harmless.
  attempt(() => chmodSync(file, mode));
}

// Not `recursive: true`: with it, Node never returns for a folder such as /proc/certs, whose parent
// exists although mkdir fails with ENOENT.
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** Calls a function and ignores its errors. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {}
}
