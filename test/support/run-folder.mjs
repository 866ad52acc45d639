// The temporary folder of a run of the tests. A run that was killed leaves its folder, and processes
// that work in it: the next run removes both.
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Says whose folder it is. */
const OWNER = 'owner.json';

/**
 * Makes the folder of this process, and removes those of processes that are gone.
 *
 * @param {string} prefix the beginning of its name
 * @returns {string}
 */
export function makeRunFolder(prefix) {
  const parent = realpathSync(tmpdir());
  for (const name of readdirSync(parent)) {
    if (name.startsWith(prefix) && isLeft(join(parent, name))) remove(join(parent, name));
  }
  const folder = mkdtempSync(join(parent, prefix));
  writeFileSync(join(folder, OWNER), JSON.stringify({ host: hostname(), pid: process.pid }));
  return folder;
}

/** Whether the process of a folder is gone. @param {string} folder */
function isLeft(folder) {
  try {
    const { host, pid } = JSON.parse(readFileSync(join(folder, OWNER), 'utf8'));
    // Containers can share a folder, and not their processes.
    return host === hostname() && !isRunning(pid);
  } catch {
    return false;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return Object(error).code !== 'ESRCH';
  }
}

/** @param {string} folder */
function remove(folder) {
  for (const pid of processesOf(folder)) endProcess(pid);
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is another user's.
  }
}

/**
 * The processes that have a folder in their environment or work in it, on Linux; none elsewhere.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function processesOf(folder) {
  try {
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return all.filter((pid) => belongsTo(pid, folder));
  } catch {
    return [];
  }
}

/** @param {string} pid @param {string} folder */
function belongsTo(pid, folder) {
  try {
    if (readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return true;
    return readFileSync(`/proc/${pid}/environ`).includes(folder);
  } catch {
    // It has ended, or is another user's.
    return false;
  }
}

/** Ends a process, if it is still there. @param {string} pid */
export function endProcess(pid) {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
