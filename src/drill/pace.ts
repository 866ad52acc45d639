import { monotonicTime, sleep } from '../timers.ts';
import { TIMES, type TimeName, USUAL_LIMIT } from './times.ts';

/** No wait is stretched to more than so many times its length. */
export const MAX_STRETCH = 4;
/** How late a timer of the drill comes on a machine that is twice as slow as it should be, in ms. */
const LATE = 50;
/** How many of the last timers count. */
const TIMERS = 20;
/** If timers come later than this on average, in ms, the machine has enough to do. */
const BEHIND = 250;
/** A wait is at least so many times as long as the slowest call of `success`. */
const CALLS = 3;

/**
 * How fast this machine and the application are. Waits in real time are stretched in proportion to how late
 * the drill's own timers come, and are at least as long as three of the slowest calls in `success`.
 */
export class Pace {
  readonly #scale: number;
  #lateness: number[] = [];
  #slowestCall = 0;

  constructor(limit: number) {
    this.#scale = Math.min(1, limit / USUAL_LIMIT);
  }

  /** @returns how late it ended, in ms */
  async sleep(ms: number, signal: AbortSignal): Promise<number> {
    const began = monotonicTime();
    await sleep(ms, undefined, { signal });
    const took = monotonicTime() - began;
    this.slept(ms, took);
    return took - ms;
  }

  /** Called after each sleep of the drill. */
  slept(asked: number, took: number): void {
    this.#lateness = [...this.#lateness.slice(1 - TIMERS), Math.max(0, took - asked)];
  }

  /** Called after each call of the application in `success`: asking, reconciling, acknowledging a webhook. */
  called(ms: number): void {
    this.#slowestCall = Math.max(this.#slowestCall, ms);
  }

  /** A time as long as it has to be here, in ms. */
  of(name: TimeName): number {
    const usual = this.exactly(name);
    const stretched = Math.max(usual * (1 + this.#late / LATE), CALLS * this.#slowestCall);
    return Math.min(stretched, usual * MAX_STRETCH);
  }

  /** Whether another application would only make this machine slower. */
  get isBehind(): boolean {
    return this.#late > BEHIND;
  }

  get #late(): number {
    return this.#lateness.reduce((sum, one) => sum + one, 0) / TIMERS;
  }

  /** The same time without a stretch, for what the drill does rather than waits for. */
  exactly(name: TimeName): number {
    const { ms, isScaled } = TIMES[name];
    return isScaled ? ms * this.#scale : ms;
  }
}
