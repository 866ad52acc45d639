import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

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

/** What a subject holds after it was used, and after a reset. */
interface HeldUntilReset {
  readonly full: Holding;
  readonly end: Holding;
}

/** A process of its own, which does what one script of this folder can do. */
export interface Subject {
  readonly child: ChildProcess;
  /** Has it do something, and gives what that came to. */
  readonly ask: <Result>(task: string, input?: unknown) => Promise<Result>;
  readonly measure: () => Promise<Holding>;
  /** Measures it, resets it, and measures it again. */
  readonly measureReset: () => Promise<HeldUntilReset>;
}

/**
 * Starts `subjects.mjs` in a process of its own, killed when the test is over.
 *
 * @param own it is killed by who starts it
 */
export function startSubject({ own = false } = {}): Subject {
  const script = fileURLToPath(new URL('subjects.mjs', import.meta.url));
  const child = fork(script, { execArgv: ['--expose-gc'] });
  if (!own) onTestFinished(() => void child.kill('SIGKILL'));
  const ask = async <Result>(task: string, input?: unknown): Promise<Result> => {
    child.send({ task, input });
    const [{ result, error }] = await once(child, 'message');
    if (error !== undefined) throw new Error(error);
    return result;
  };
  const measure = () => ask<Holding>('measure');
  const measureReset = async () => {
    const full = await measure();
    await ask('reset');
    return { full, end: await measure() };
  };
  return { child, ask, measure, measureReset };
}
