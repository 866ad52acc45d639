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
/** How long in ms a lock may be held. It takes milliseconds to write two small files. */
const STALE_MS = 3000;
/** Between two attempts to take the lock, in ms. */
const PAUSE_MS = 20;

/**
 * Replaces files of a folder under a lock, each of them whole, unless the folder has changed
 * since the caller read it. The caller reads the folder again in either case.
 *
 * The lock is the folder `.momo-mock.lock`: the process that creates it holds it. The holder writes
 * the new files into it and renames them from there to their place.
 *
 * - A process that is killed leaves nothing but the lock, which the next one removes when it is
 *   older than `STALE_MS`.
 * - A process that was only suspended for so long has lost its files together with the lock.
 *   Renaming them fails, so it cannot overwrite what another process wrote in the meantime.
 *
 * @param files absolute paths in the folder, with what to write
 * @param isUnchanged whether the folder still is as the caller read it
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
    // Other files are there only if this process was suspended between creating the lock and
    // writing into it, and another one holds the lock by now.
    if (readdirSync(lock).length > moves.length || !isUnchanged()) return;
    for (const { from, path } of moves) renameSync(from, path);
  } catch (error) {
    // ENOENT: the lock is lost.
    if (errorCode(error) !== 'ENOENT') throw error;
  } finally {
    for (const { from } of moves) attempt(() => rmSync(from, { force: true }));
    attempt(() => rmdirSync(lock));
  }
}

/** Removes the lock that a killed process left, with the files in it, if this process may. */
export function removeLeftovers(folder: string): void {
  attempt(() => removeStaleLock(join(folder, LOCK)));
}

function removeStaleLock(lock: string): void {
  const takenAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? timeOfDay();
  // The absolute value: if the clock was set back, the lock must not stay for years.
  if (Math.abs(timeOfDay() - takenAt) < STALE_MS) return;
  try {
    rmSync(lock, { recursive: true, force: true });
  } catch (error) {
    // ENOTEMPTY: another process has removed it and holds a new one.
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
  // The umask may have removed bits. A file system without modes refuses, which does no harm.
  attempt(() => chmodSync(file, mode));
}

// Not `recursive: true`: with it Node never returns for a folder such as /proc/certs, where the
// parent exists and mkdir answers ENOENT nevertheless.
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** Does what may fail without consequences. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {}
}
