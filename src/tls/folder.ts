import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from './unusable.ts';

/** How old in ms a file must be before it counts as left behind by a killed process. */
const LEFTOVER_MS = 60_000;
const LEFTOVER = /^\.momo-mock-[0-9a-f]{16}\.(?:pem|tmp)$/;

const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV']);

/**
 * Writes a file that appears whole, and only if there is none of that name.
 *
 * @returns whether this call wrote it
 */
export function publish(file: string, text: string, mode: number): boolean {
  return withTemporary(file, text, mode, (temporary) => {
    try {
      linkSync(temporary, file);
    } catch (error) {
      if (!NO_HARD_LINKS.has(errorCode(error) ?? '')) throw error;
      // Not whole at once, so whoever reads it waits for its end (see `readSettled` in stored.ts).
      copyFileSync(temporary, file, constants.COPYFILE_EXCL);
    }
  });
}

/**
 * Writes a file that appears whole, in place of what is there.
 *
 * @returns whether it was written; otherwise look again
 */
export function install(file: string, text: string, mode: number): boolean {
  return withTemporary(file, text, mode, (temporary) => renameSync(temporary, file));
}

/** Removes what killed processes left behind more than a minute ago, as far as that is possible. */
export function sweep(folder: string, keep: ReadonlySet<string>): void {
  const names = attempt(() => readdirSync(folder)) ?? [];
  const leftovers = names.filter((name) => LEFTOVER.test(name)).map((name) => join(folder, name));
  for (const file of leftovers.filter((name) => !keep.has(name))) {
    const written = attempt(() => statSync(file).mtimeMs) ?? Number.POSITIVE_INFINITY;
    if (Date.now() - written > LEFTOVER_MS) attempt(() => rmSync(file, { force: true }));
  }
}

function withTemporary(
  file: string,
  text: string,
  mode: number,
  put: (temporary: string) => void,
): boolean {
  const folder = dirname(file);
  makeFolder(folder);
  const temporary = join(folder, `.momo-mock-${randomBytes(8).toString('hex')}.tmp`);
  try {
    writeWhole(temporary, text, mode);
    return isPut(() => put(temporary));
  } finally {
    attempt(() => rmSync(temporary, { force: true }));
  }
}

function isPut(put: () => void): boolean {
  try {
    put();
    return true;
  } catch (error) {
    // EEXIST: somebody was faster. ENOENT: this process stood still for so long that its temporary
    // file was swept. Either way the caller looks again.
    if (['EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

function writeWhole(file: string, text: string, mode: number): void {
  const handle = openSync(file, 'wx', mode);
  try {
    writeFileSync(handle, text);
    // The umask may have taken from the mode; a file system without modes refuses, and that is fine.
    attempt(() => fchmodSync(handle, mode));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

// Not `recursive: true`: with it Node never comes back from a folder such as /proc/certs, where
// the parent exists and mkdir answers ENOENT all the same.
function makeFolder(folder: string): void {
  const make = () => {
    try {
      mkdirSync(folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    }
  };
  try {
    make();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    make();
  }
}

/** What may fail: then there is nothing that it gives. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
