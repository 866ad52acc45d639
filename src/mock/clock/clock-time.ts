import { monotonicTime, timeOfDay } from '../../timers.ts';
import { LAST_TIME } from '../limits.ts';

/** What a clock tells about itself. */
export interface ClockState {
  /** The time in ms since 1970. */
  readonly now: number;
  /** Whether timers run only in `advance`. */
  readonly frozen: boolean;
  /** How many timers are set or running. Those of the service include those of all accounts. */
  readonly pending: number;
  /** The time at which the next timer is due, in ms since 1970; `null` without one. */
  readonly next: number | null;
}

/** The time of a clock, which can stand still and be moved. */
export class ClockTime {
  readonly #base: () => number;
  /** The time between the base and this clock, in ms. */
  #offset = 0;
  /** The time at which the clock stands still. */
  #stands: number | undefined;

  /** @param base the time that this clock follows, in ms since 1970 */
  constructor(base: () => number) {
    this.#base = base;
  }

  /** The time in ms since 1970. At the end of the year 9999 the clock stops. */
  now(): number {
    return Math.min(LAST_TIME, this.#stands ?? this.#base() + this.#offset);
  }

  get isStanding(): boolean {
    return this.#stands !== undefined;
  }

  /** Stands still, or runs on from where it stands. */
  stand(isStanding: boolean): void {
    const base = this.#base();
    const time = this.#stands ?? base + this.#offset;
    this.#stands = isStanding ? time : undefined;
    this.#offset = time - base;
  }

  /** Moves a clock that stands still. */
  moveBy(ms: number): void {
    if (this.#stands !== undefined) this.#stands += ms;
  }

  /** Follows the base again, without a difference. */
  reset(): void {
    this.#stands = undefined;
    this.#offset = 0;
  }
}

/**
 * The time of the system, in ms since 1970. While timers are pending, it does not jump when the
 * system clock is changed: otherwise they would all run at once, or hours late.
 *
 * @param hasTimers whether timers are pending
 */
export function systemTime(hasTimers: () => boolean): () => number {
  let start = 0;
  return () => {
    if (!hasTimers()) start = timeOfDay() - monotonicTime();
    return Math.round(start + monotonicTime());
  };
}
