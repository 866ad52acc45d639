import { monotonicTime, timeOfDay } from '../timers.ts';
import type { DrillOrder, OpenApplication } from './application.ts';
import type { Pace } from './pace.ts';

/** Calls `reconcile` now and then, as a cron job would. */
export class Cron {
  readonly #application: OpenApplication;
  readonly #pace: Pace;
  readonly #onCalled: (ms: number) => void;
  #running = 0;
  #runningSince = Infinity;
  #endedAt = -Infinity;
  /** When the last call that has come back began. */
  #beganAt = -Infinity;
  /** Whether two calls come at once. */
  isDouble = false;

  /** @param onCalled called with how long each call took, in ms */
  constructor(application: OpenApplication, pace: Pace, onCalled: (ms: number) => void) {
    this.#application = application;
    this.#pace = pace;
    this.#onCalled = onCalled;
  }

  /** Called before each order. */
  reset(): void {
    this.isDouble = false;
    this.#beganAt = -Infinity;
  }

  /** Calls it if it is time. A call that has not come back is not repeated. */
  tick(order: DrillOrder, calm: number): void {
    const interval = this.#pace.exactly('reconcile');
    const isTime = monotonicTime() - this.#endedAt >= interval;
    if (this.#running > 0 || !isTime || calm < interval) return;
    for (let call = 0; call < (this.isDouble ? 2 : 1); call++) void this.#call(order);
  }

  /** Calls it for each of these orders, one after the other. */
  async run(orders: readonly DrillOrder[]): Promise<void> {
    if (this.#running > 0) return;
    for (const order of orders) await this.#call(order);
  }

  /**
   * Whether it ran after a time (ms since 1970), so that it met a payment that is pending, or hangs, or there is
   * none.
   */
  hasRunAfter(time: number): boolean {
    if (this.#application.reconcile === undefined) return true;
    const now = monotonicTime();
    const began = timeOfDay() - now + this.#beganAt;
    return began > time || now - this.#runningSince > this.#pace.of('blockedPay');
  }

  /** Whether it ran after a time by the monotonic clock, or there is none. */
  hasRunSince(time: number): boolean {
    return this.#application.reconcile === undefined || this.#beganAt > time;
  }

  async #call(order: DrillOrder): Promise<void> {
    const application = this.#application;
    if (application.reconcile === undefined) return;
    const began = monotonicTime();
    this.#running++;
    this.#runningSince = Math.min(this.#runningSince, began);
    // Whatever goes wrong in it shows in the outcome.
    await (async () => await application.reconcile?.(order))().catch(() => {});
    this.#running--;
    this.#endedAt = monotonicTime();
    this.#beganAt = Math.max(this.#beganAt, began);
    if (this.#running === 0) this.#runningSince = Infinity;
    this.#onCalled(monotonicTime() - began);
  }
}
