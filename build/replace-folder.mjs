import { randomUUID } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';

/**
 * Builds a folder beside the old one and replaces the old one at the end, so a failed build changes
 * nothing and two concurrent builds never mix. The folder is missing for a moment between two renames.
 *
 * @param folder the path of the folder
 * @param build fills a new folder, whose path it gets
 */
export async function replaceFolder(folder, build) {
  const fresh = `${folder}-${randomUUID()}`;
  const old = `${fresh}-old`;
  try {
    await build(fresh);
    while (!replaced(folder, fresh, old)) rmSync(old, { recursive: true, force: true });
  } finally {
    for (const path of [fresh, old]) rmSync(path, { recursive: true, force: true });
  }
}

/** Returns whether the new folder is in its place: another build may have put its own there. */
function replaced(folder, fresh, old) {
  try {
    renameSync(folder, old);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  try {
    renameSync(fresh, folder);
    return true;
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    return false;
  }
}
