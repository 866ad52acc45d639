import { monotonicTime, timeOfDay } from '../../timers.ts';
import { Clock } from './clock.ts';
import type { TimerOptions } from './timer-queue.ts';

/** It follows the clock of the system. */
export class ClockOfAll extends Clock {
  protected override readonly followed = [this];
  /** The clocks of accounts that do more than follow it: it counts, moves and awaits them. */
  readonly active = new Set<AccountClock>();
  #systemOffset = timeOfDay() - monotonicTime();

  protected override get clocks(): readonly Clock[] {
    return [this, ...this.active];
  }

  /** It does not jump while timers are pending: they would all run at once, or hours late. */
  protected override base(): number {
    const isUsed = this.isWaiting || this.active.size > 0;
    if (!isUsed) this.#systemOffset = timeOfDay() - monotonicTime();
    return Math.round(this.#systemOffset + monotonicTime());
  }
}

/** The clock of one account, which follows the clock of all accounts. */
export class AccountClock extends Clock {
  protected override readonly followed: readonly Clock[];
  protected override readonly clocks = [this];
  readonly #all: ClockOfAll;

  constructor(options: TimerOptions, all: ClockOfAll) {
    super(options);
    this.followed = [this, all];
    this.#all = all;
  }

  protected override base(): number {
    return this.#all.now();
  }

  protected override setActive(isActive: boolean): void {
    if (isActive) this.#all.active.add(this);
    else this.#all.active.delete(this);
  }
}
