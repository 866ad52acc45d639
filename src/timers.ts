/**
 * Node's original timers and clocks. Tests with fake timers (vitest, jest, sinon, `node:test`)
 * replace the globals and `node:timers` in their process, where the mock may run too. With fake
 * timers, a delay would last until the test advances its clock, and `close` would never resolve. So
 * everything in src except the command imports its timers from here.
 */
import { performance } from 'node:perf_hooks';
import * as callbacks from 'node:timers';
import * as promises from 'node:timers/promises';

export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = callbacks;

export const sleep = promises.setTimeout;
export const nextTurn = promises.setImmediate;

/** In ms since 1970. It jumps when somebody changes the system clock. */
export const timeOfDay = Date.now;

/** In ms. It never goes back, so use it for durations. */
export const monotonicTime = performance.now.bind(performance);

/** How long the event loop was active and idle since the process started, in ms. */
export const eventLoopTimes = performance.eventLoopUtilization.bind(performance);

/** Settles like a promise, or rejects after `ms`. The work behind the promise continues. */
export async function within<Value>(
  promise: Promise<Value>,
  ms: number,
  late: () => Error,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  return await Promise.race([promise, tooLate]).finally(() => clearTimeout(timer));
}
