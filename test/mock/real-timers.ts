import type { Timers } from '../../src/mock/clock/clock.ts';

/** Timers that run by the real time. */
export const REAL_TIMERS: Timers = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
