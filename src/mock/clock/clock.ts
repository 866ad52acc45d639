import { invalid } from '../../errors.ts';
import { clearTimeout, monotonicTime, nextTurn, setTimeout, timeOfDay } from '../../timers.ts';
import { LAST_TIME, LONGEST_STEP, MOST_TIMERS } from '../limits.ts';
import type { Advanced, ScopeId, Store } from '../store/store.ts';
import {
  type TimerFailure,
  type TimerListeners,
  TimerRunner,
  type Timers,
} from './timer-runner.ts';

/** The longest time that a timer of Node can wait, in ms. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

const BEYOND_END = 'the clock ends with the year 9999. Use less time, or reset the clock';

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

/**
 * The clock of the service or of an account, and its timers in this process. That of an account
 * follows that of the service: it moves and stands still with it, and can also be moved and frozen by
 * itself. The store says where it is. During an advance it is ahead of the store, and stands still.
 */
export class Clock implements Timers {
  readonly #onChange: () => void;
  readonly #store: Pick<Store, 'clock'>;
  readonly #id: ScopeId;
  readonly #service: Clock | undefined;
  /** Of the service: the clocks of accounts that have timers, are frozen or are moved. */
  readonly #accounts = new Set<Clock>();
  readonly #runner: TimerRunner;
  /** The time between the clock of the system and the monotonic one, in ms. */
  #systemOffset = timeOfDay() - monotonicTime();
  /** Where it stands during an advance. */
  #stands: number | undefined;
  #isClosed = false;
  /** How many calls of `advance` run or wait. */
  #advances = 0;
  /** How many advances the store has not yet made: {@link settle} says when. */
  #unsettled = 0;
  /** Resolves when the last call of `advance` has ended. */
  #lastAdvance: Promise<void> = Promise.resolve();
  #resets = 0;
  #alarm: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param id the id of the account; `undefined` for the service
   * @param service the clock of the service, for that of an account
   */
  constructor(
    store: Pick<Store, 'clock'>,
    id: ScopeId,
    listeners: TimerListeners,
    service?: Clock,
  ) {
    this.#store = store;
    this.#id = id;
    this.#onChange = listeners.onChange;
    this.#service = service;
    this.#runner = new TimerRunner({ ...listeners, onChange: () => this.#changed() });
  }

  now(): number {
    return this.#runner.due ?? this.#time();
  }

  after(ms: number, act: () => unknown, place?: () => string): () => void {
    if (!(typeof ms === 'number' && ms >= 0 && ms <= LONGEST_STEP)) {
      throw invalid('the time of after', `must be a number of ms from 0 to ${LONGEST_STEP}`);
    }
    if (typeof act !== 'function') throw invalid('what after runs', 'must be a function');
    if (this.#both().some((clock) => clock.#isClosed)) return () => {};
    const due = this.now() + Math.round(ms);
    if (due > LAST_TIME) throw invalid('the time of after', BEYOND_END);
    return this.#runner.set(due, act, place);
  }

  /** What the clock tells about itself. */
  get state(): ClockState {
    const wait = this.#leastWait();
    return {
      now: this.now(),
      frozen: this.#both().some((clock) => clock.#isFrozen),
      pending: this.#clocks().reduce((sum, clock) => sum + clock.#runner.pending, 0),
      next: wait === Infinity ? null : this.now() + wait,
    };
  }

  /** Checks a time for {@link advance}. @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` */
  checkAdvance(by: number | 'idle'): void {
    if (by !== 'idle' && this.now() + by > LAST_TIME) throw invalid('advance', BEYOND_END);
  }

  /**
   * Runs everything that comes due until the clock has moved, and resolves when that has ended. It
   * stays there until {@link settle}. Several calls run one after the other.
   *
   * @param by a time in ms, or `idle`: until nothing is pending
   */
  async advance(by: number | 'idle'): Promise<Advanced> {
    // The service also moves the clocks of the accounts.
    const clocks = [...this.#both(), ...this.#accounts];
    const before = Promise.all(clocks.map((clock) => clock.#lastAdvance));
    const moved = before.then(() => this.#advance(by));
    const resets = this.#resets;
    this.#lastAdvance = moved.then(() => {
      if (this.#resets === resets) this.#advances--;
      this.#runOn();
    });
    this.#advances++;
    this.#unsettled++;
    this.#changed();
    await this.#lastAdvance;
    return await moved;
  }

  /** Says that the store has made an advance, so that the clock continues from there. */
  settle(): void {
    this.#unsettled = Math.max(0, this.#unsettled - 1);
    this.#runOn();
  }

  /** Says that the clock was frozen or runs again. */
  moved(): void {
    for (const clock of this.#clocks()) clock.#setAlarm();
    this.#changed();
  }

  /** Drops all timers. */
  reset(): void {
    for (const clock of this.#clocks()) {
      clock.#resets++;
      clock.#stands = undefined;
      clock.#advances = 0;
      clock.#unsettled = 0;
      clock.#runner.drop();
      clock.#changed();
    }
  }

  /** Drops all timers. No more can be set. */
  close(): void {
    this.#isClosed = true;
    this.reset();
  }

  /**
   * Timers that are due together start in the order in which they were set. The clocks move on when
   * all that these started has ended. They stay where a timer was due whose promise does not settle.
   */
  async #advance(by: number | 'idle'): Promise<Advanced> {
    const resets = this.#resets;
    for (const clock of this.#clocks()) {
      if (clock === this || clock.#isFrozen) clock.#stands ??= clock.now();
    }
    this.#changed();
    const failures: TimerFailure[] = [];
    const most = by === 'idle' ? Infinity : by;
    let ms = 0;
    for (let ran = 0; ; ) {
      const ended = await Promise.all(this.#clocks().map((clock) => clock.#runner.ended()));
      failures.push(...ended.flat());
      if (failures.some(({ late }) => late !== undefined)) break;
      // What a timer started without waiting for it may set timers, too.
      await nextTurn();
      if (this.#resets !== resets) return { ms: 0 };
      const wait = this.#leastWait();
      if (wait === Infinity || ms + wait > most) {
        if (most !== Infinity) this.#moveBy(most - ms);
        if (most !== Infinity) ms = most;
        break;
      }
      if (ran >= MOST_TIMERS) return { ms, failure: endless() };
      this.#moveBy(wait);
      ms += wait;
      ran += this.#startDue();
    }
    return { ms, ...(failures.length > 0 && { failure: timersFailed(failures) }) };
  }

  /** Starts what is due in all clocks, and returns the number of timers. */
  #startDue(): number {
    const due = this.#clocks().flatMap((clock) => {
      const time = clock.now();
      const timers = clock.#runner.takeDue(time);
      return timers.map((timer) => ({ clock, timer, late: time - timer.due }));
    });
    due.sort((one, two) => two.late - one.late || one.timer.order - two.timer.order);
    for (const { clock, timer } of due) clock.#runner.start(timer);
    return due.length;
  }

  #moveBy(ms: number): void {
    for (const clock of this.#clocks()) if (clock.#stands !== undefined) clock.#stands += ms;
  }

  /** Continues from where the store says, after all advances. */
  #runOn(): void {
    if (this.#advances + this.#unsettled > 0) return;
    for (const clock of this.#clocks()) {
      if (clock.#advances + clock.#unsettled === 0) clock.#stands = undefined;
    }
    this.moved();
  }

  get #isFrozen(): boolean {
    return this.#store.clock(this.#id).stands !== undefined;
  }

  get #isStanding(): boolean {
    return this.#stands !== undefined || this.#isFrozen;
  }

  /** The time in ms since 1970, also while a timer runs. At the end of the year 9999 it stops. */
  #time(): number {
    const { stands, offset } = this.#store.clock(this.#id);
    return Math.min(LAST_TIME, this.#stands ?? stands ?? this.#base() + offset);
  }

  /** The time that this clock follows. */
  #base(): number {
    return this.#service === undefined ? this.systemTime() : this.#service.now();
  }

  /**
   * The time of the system, which the clock of the service follows. It does not jump while timers are
   * pending: otherwise they would all run at once, or hours late.
   */
  systemTime(): number {
    const isUsed = this.#runner.pending + this.#accounts.size > 0;
    if (!isUsed) this.#systemOffset = timeOfDay() - monotonicTime();
    return Math.round(this.#systemOffset + monotonicTime());
  }

  /** The time in ms until the next timer of this clock is due; `Infinity` without one. */
  #wait(): number {
    const { next } = this.#runner;
    return next === undefined ? Infinity : Math.max(next - this.now(), 0);
  }

  #leastWait(): number {
    return this.#clocks().reduce((least, clock) => Math.min(least, clock.#wait()), Infinity);
  }

  /** This clock, and of the service those of the accounts that move with it. */
  #clocks(): Clock[] {
    return [this, ...this.#accounts];
  }

  /** This clock, and that of the service, which it follows. */
  #both(): Clock[] {
    return this.#service === undefined ? [this] : [this, this.#service];
  }

  #changed(): void {
    const isUsed = this.#runner.pending + this.#advances > 0 || this.#isStanding;
    if (this.#service !== undefined) {
      if (isUsed) this.#service.#accounts.add(this);
      else this.#service.#accounts.delete(this);
    }
    this.#setAlarm();
    this.#onChange();
  }

  /** Runs the next timer in real time. Timers that it sets wait for the next turn. */
  #setAlarm(): void {
    clearTimeout(this.#alarm);
    const wait = this.#wait();
    const isStanding = this.#both().some((clock) => clock.#isStanding);
    if (wait === Infinity || isStanding) return;
    const ring = () => {
      for (const timer of this.#runner.takeDue(this.now())) this.#runner.start(timer);
      this.#setAlarm();
    };
    this.#alarm = setTimeout(ring, Math.min(wait, LONGEST_TIMEOUT)).unref();
  }
}

/** Why an advance failed. It names places, never what the errors say. */
function timersFailed(failures: readonly TimerFailure[]): string {
  const stuck = failures.find(({ late }) => late !== undefined);
  if (stuck !== undefined) {
    return `the promise of a timer that was set at ${stuck.place} ${stuck.late}. Correct the handler that set it.`;
  }
  const failure = failures.find(({ place }) => place !== undefined) ?? failures[0];
  const at = `${failure?.place === undefined ? '' : ` at ${failure.place}`}: ${failure?.cause}`;
  const why =
    failures.length === 1 ? `a timer failed${at}` : `${failures.length} timers failed, one${at}`;
  return `${why}. Correct the handler that set it; the log of momo-mock has the details.`;
}

/** Why an advance failed whose timers do not come to an end. */
function endless(): string {
  // Not while the module loads: the first use of a locale takes 20 ms.
  const most = MOST_TIMERS.toLocaleString('en');
  return `${most} timers ran, and more are due. Advance by less time, or correct a timer that sets itself again.`;
}
