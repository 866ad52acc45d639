import { randomBytes } from 'node:crypto';
import {
  constants,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
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
export async function publish(file: string, text: string, mode: number): Promise<boolean> {
  return withTemporary(file, text, mode, async (temporary) => {
    try {
      await link(temporary, file);
    } catch (error) {
      if (!NO_HARD_LINKS.has(errorCode(error) ?? '')) throw error;
      // Not whole at once, so whoever reads it waits for its end (see `read` in stored.ts).
      await copyFile(temporary, file, constants.COPYFILE_EXCL);
    }
  });
}

/**
 * Writes a file that appears whole, in place of what is there.
 *
 * @returns whether it was written; otherwise look again
 */
export async function install(file: string, text: string, mode: number): Promise<boolean> {
  return withTemporary(file, text, mode, (temporary) => rename(temporary, file));
}

/** Removes what killed processes left behind more than a minute ago, as far as that is possible. */
export async function sweep(folder: string, keep: ReadonlySet<string>): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const file of names
    .filter((name) => LEFTOVER.test(name))
    .map((name) => join(folder, name))) {
    if (keep.has(file)) continue;
    const age = await stat(file).then(
      (stats) => Date.now() - stats.mtimeMs,
      () => 0,
    );
    if (age > LEFTOVER_MS) await rm(file, { force: true }).catch(() => {});
  }
}

async function withTemporary(
  file: string,
  text: string,
  mode: number,
  put: (temporary: string) => Promise<void>,
): Promise<boolean> {
  const folder = dirname(file);
  await makeFolder(folder);
  const temporary = join(folder, `.momo-mock-${randomBytes(8).toString('hex')}.tmp`);
  try {
    await writeWhole(temporary, text, mode);
    return await put(temporary).then(
      () => true,
      (error) => {
        // EEXIST: somebody was faster. ENOENT: this process stood still for so long that its
        // temporary file was swept. Either way the caller looks again.
        if (['EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) return false;
        throw error;
      },
    );
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(text);
    // The umask may have taken from the mode; a file system without modes refuses, and that is fine.
    await handle.chmod(mode).catch(() => {});
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// Not `recursive: true`: with it Node never comes back from a folder such as /proc/certs, where
// the parent exists and mkdir answers ENOENT all the same.
async function makeFolder(folder: string): Promise<void> {
  const make = async () => {
    try {
      await mkdir(folder);
    } catch (error) {
      const there = await stat(folder).catch(() => undefined);
      if (!there) throw error;
    }
  };
  try {
    await make();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await make();
  }
}
