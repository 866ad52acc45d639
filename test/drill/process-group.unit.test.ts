import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ProcessGroup } from '../../src/cli/drill/process-group.ts';
import { hasLiveProcess } from '../../src/cli/drill/process-table.ts';
import { needs } from '../support/machine.ts';

/**
 * Leaves a zombie in its group, whose parent is in another one and never reaps it, as process 1 of some
 * containers does not. Prints the numbers of the parent and the group.
 */
const ZOMBIE = `import os, sys, time
group = os.getpgrp()
read, write = os.pipe()
parent = os.fork()
if parent == 0:
    os.setpgid(0, 0)
    child = os.fork()
    if child == 0:
        os.setpgid(0, group)
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    os.write(write, b'x')
    sys.stdout.close(); os.close(1); os.close(2)
    time.sleep(60)
os.read(read, 1)
print(parent, group, flush=True)
`;

it('a group of zombies has ended, so that nothing waits for it', async (context) => {
  needs(context, 'python3');
  if (!existsSync('/proc/self/stat')) context.skip('no /proc');
  const group = new ProcessGroup(['python3', '-c', ZOMBIE], process.env);
  await group.ended;
  const [parent, id] = group.lastLine.split(' ').map(Number);
  try {
    // Signals still find it.
    expect(process.kill(-Number(id), 0)).toBe(true);
    expect(hasLiveProcess(Number(id))).toBe(false);
    expect(group.isOver).toBe(true);
  } finally {
    process.kill(Number(parent), 'SIGKILL');
  }
});

it('a group with a child in the background goes on until it is stopped', async () => {
  const group = new ProcessGroup(['sh', '-c', 'sleep 60 & echo $$'], process.env);
  await group.ended;
  const id = Number(group.lastLine);
  expect([group.end, group.isOver]).toEqual(['it ended with exit code 0', false]);
  expect(hasLiveProcess(id)).toBe(true);
  await group.stop();
  expect(group.isOver).toBe(true);
  expect(isGone(id)).toBe(true);
});

/** Where process 1 reaps nothing, its zombie stays. */
function isGone(group: number): boolean {
  try {
    process.kill(-group, 0);
    return !hasLiveProcess(group);
  } catch {
    return true;
  }
}

it('processes that cannot be seen count as running', () => {
  // No process has this number.
  expect(hasLiveProcess(2 ** 30)).toBe(true);
});
