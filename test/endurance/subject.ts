import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Over } from '../support/fixture-folder.ts';

/** What a process holds. */
export interface Holding {
  /** In bytes, after a garbage collection. */
  readonly heap: number;
  /** Kinds of what keeps its event loop going, other than the channel to the test. */
  readonly resources: readonly string[];
  readonly descriptors: number;
  /** What Node warned of since the start. */
  readonly warnings: readonly string[];
}

/** A process of its own, which does what `subjects.mjs` can do. */
export type Subject = ReturnType<typeof startSubject>;

/** Starts `subjects.mjs` in a process of its own, killed when the test or the suite is over. */
export function startSubject(over: Over = onTestFinished) {
  const script = fileURLToPath(new URL('subjects.mjs', import.meta.url));
  const child = fork(script, { execArgv: ['--expose-gc'] });
  over(() => void child.kill('SIGKILL'));
  /** Has it do something, and gives what that came to. */
  const ask = async <Result>(task: string, input?: unknown): Promise<Result> => {
    child.send({ task, input });
    const [{ result, error }] = await once(child, 'message');
    if (error !== undefined) throw new Error(error);
    return result;
  };
  return { ask, measure: () => ask<Holding>('measure') };
}
