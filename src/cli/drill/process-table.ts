import { readdirSync, readFileSync } from 'node:fs';

/**
 * Whether a process group has more than zombies. In a container whose process 1 reaps nothing, the zombies
 * of an application stay, and a signal still finds them.
 */
export function hasLiveProcess(group: number): boolean {
  const states = processIds().flatMap((id) => stateIn(id, group) ?? []);
  const isOnlyZombies = states.every((state) => state === 'Z' || state === 'X');
  // Without any, /proc does not show the group's processes: it may hide those of other users.
  return states.length === 0 || !isOnlyZombies;
}

/** None where there is no /proc. */
function processIds(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** The state of a process, such as `S`, if it belongs to the group. */
function stateIn(id: string, group: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    // The program's name, in parentheses, may contain anything.
    const [state, , of] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(of) === group ? state : undefined;
  } catch {
    return undefined;
  }
}
