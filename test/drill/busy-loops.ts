import { spawn } from 'node:child_process';
import { afterAll, beforeAll } from 'vitest';

/** Keeps all cores of a small machine busy while the tests of a file run. */
export function besideBusyLoops(count = 4): void {
  const loops: ReturnType<typeof spawn>[] = [];
  beforeAll(() => {
    for (let loop = 1; loop <= count; loop++) {
      loops.push(spawn(process.execPath, ['-e', 'for(;;);']));
    }
  });
  afterAll(() => {
    for (const loop of loops) loop.kill();
  });
}
