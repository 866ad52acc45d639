import type * as Timers from '../../src/timers.ts';

export {
  setImmediate as nextTurn,
  setTimeout as sleep,
} from 'node:timers/promises';

// What stands in for src/timers.ts where a test moves the clock of what it tests: each call looks
// the global up, so that it finds the fake one.
const look = <Name extends keyof typeof globalThis>(name: Name) =>
  ((...given: unknown[]) =>
    (globalThis[name] as (...all: unknown[]) => unknown)(...given)) as never;

export const setTimeout: typeof Timers.setTimeout = look('setTimeout');
export const clearTimeout: typeof Timers.clearTimeout = look('clearTimeout');
export const setInterval: typeof Timers.setInterval = look('setInterval');
export const clearInterval: typeof Timers.clearInterval = look('clearInterval');
export const setImmediate: typeof Timers.setImmediate = look('setImmediate');
export const timeOfDay: typeof Timers.timeOfDay = () => Date.now();
export const monotonicTime: typeof Timers.monotonicTime = () => performance.now();
export const within: typeof Timers.within = (promise, ms, late) => {
  const tooLate = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(late()), ms);
  });
  return Promise.race([promise, tooLate]);
};
