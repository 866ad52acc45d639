// What a process and those that it started take, as Linux tells it.
import { readdirSync, readFileSync } from 'node:fs';

const TICK = 10;

/** Reads a file of /proc; '' where the process has ended meanwhile. */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** A process and all below it. */
export function familyOf(pid) {
  const children = threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean),
  );
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))];
}

/**
 * CPU time of one process, user and system, in ms. Its `stat` has all of it in steps of 10 ms; the
 * scheduler has that of the threads that live, exactly.
 */
function cpuOfOne(pid) {
  const [, numbers = ''] = read(`/proc/${pid}/stat`).split(/\) (?!.*\) )/);
  const [user = 0, system = 0] = numbers.split(' ').slice(11, 13).map(Number);
  const exact = threadsOf(pid).map(
    (thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]) / 1e6,
  );
  return Math.max(
    (user + system) * TICK,
    exact.reduce((sum, one) => sum + one, 0),
  );
}

/** CPU time of a process and those that it started, in ms. */
export function cpuOf(pid) {
  return familyOf(pid)
    .map(cpuOfOne)
    .reduce((sum, one) => sum + one, 0);
}

/** Resident memory of a process and those that it started, in MB. */
export function memoryOf(pid) {
  const pages = familyOf(pid).map((one) =>
    Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${one}/status`))?.[1] ?? 0),
  );
  return pages.reduce((sum, kilobytes) => sum + kilobytes, 0) / 1024;
}
