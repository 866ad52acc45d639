import { renameSync, rmSync } from 'node:fs';

/**
 * Builds a folder beside an old one, and puts it in the place of the old one when it is complete. So
 * a mock that runs from the old one is served whole files all the time, and two builds at the same
 * time do not mix.
 *
 * @param folder the path of the folder
 * @param build fills an empty folder, whose path it gets
 */
export async function replaceFolder(folder, build) {
  const fresh = `${folder}-${process.pid}`;
  const old = `${fresh}-old`;
  try {
    rmSync(fresh, { recursive: true, force: true });
    await build(fresh);
    moveAway(folder, old);
    renameSync(fresh, folder);
  } finally {
    for (const path of [fresh, old]) rmSync(path, { recursive: true, force: true });
  }
}

function moveAway(folder, place) {
  try {
    renameSync(folder, place);
  } catch (error) {
    // There was none, or another build has moved it away.
    if (error.code !== 'ENOENT') throw error;
  }
}
