/**
 * The timers and clocks of Node, as they were when this module was loaded. A test that uses fake
 * timers (vitest, jest, sinon, `node:test`) replaces the global ones and those of `node:timers` in
 * its process, where the mock may run too. Then a delay would last until the test moves its clock,
 * and `close` would not resolve. So everything in src but the command takes them from here.
 */
import { performance } from 'node:perf_hooks';
import * as callbacks from 'node:timers';
import * as promises from 'node:timers/promises';

export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = callbacks;

/** Resolves after a time in ms. */
export const sleep = promises.setTimeout;

/** Resolves in the next turn of the event loop. */
export const nextTurn = promises.setImmediate;

/** Iterates once every so many ms. */
export const ticks = promises.setInterval;

/** The time of day, in ms since 1970. It can be set back and forth. */
export const timeOfDay = Date.now;

/** A time in ms that only ever goes forward, to measure durations. */
export const monotonicTime = performance.now.bind(performance);
