import { invalid } from '../../errors.ts';
import { clearTimeout, setTimeout } from '../../timers.ts';
import { LAST_TIME, LONGEST_STEP } from '../limits.ts';
import { advanceClocks, type StandingClock, waitOf } from './clock-advance.ts';
import { type ClockState, ClockTime, systemTime } from './clock-time.ts';
import { type TimerListeners, TimerRunner } from './timer-runner.ts';

/** The longest time that a timer of Node can wait, in ms. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

const BEYOND_END = 'the clock ends with the year 9999. Use less time, or reset the clock';

/** Runs functions later, by a clock that tests can move. */
export interface Timers {
  /** The time in ms since 1970. While a timer runs, it is the time at which the timer was due. */
  now(): number;
  /**
   * Runs a function later. Those that are due at the same time start in the order in which they were
   * set. The clock's `advance` waits until the promise of the function settles.
   *
   * @param ms from now
   * @param place returns where a handler set it. Only for these, `advance` gives up on a promise
   * @returns cancels it
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  after(ms: number, act: () => unknown, place?: () => string): () => void;
}

/**
 * The clock of the service or of an account. That of an account follows that of the service: it
 * moves and stands still with it, and can also be moved and frozen by itself.
 */
export class Clock implements Timers {
  readonly #onChange: () => void;
  readonly #service: Clock | undefined;
  /** Of the service: the clocks of accounts that have timers, are frozen or are moved. */
  readonly #accounts = new Set<Clock>();
  readonly #runner: TimerRunner;
  readonly #time: ClockTime;
  readonly #standing: StandingClock;
  #isFrozen = false;
  #isAdvancing = false;
  #isClosed = false;
  /** How many calls of `advance` run or wait. */
  #advances = 0;
  /** Resolves when the last call of `advance` has ended. */
  #lastAdvance: Promise<void> = Promise.resolve();
  #resets = 0;
  #alarm: ReturnType<typeof setTimeout> | undefined;

  /** @param service the clock of the service, for that of an account */
  constructor(listeners: TimerListeners, service?: Clock) {
    this.#onChange = listeners.onChange;
    this.#service = service;
    const runner = new TimerRunner({ ...listeners, onChange: () => this.#changed() });
    const isUsed = () => runner.pending + this.#accounts.size > 0;
    this.#time = new ClockTime(service ? () => service.now() : systemTime(isUsed));
    this.#runner = runner;
    this.#standing = { runner, now: () => this.now() };
  }

  now(): number {
    return this.#runner.due ?? this.#time.now();
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
    const clocks = this.#clocks();
    const waits = clocks.map((clock) => waitOf(clock.#standing));
    const wait = waits.reduce((least, one) => Math.min(least, one));
    return {
      now: this.now(),
      frozen: this.#both().some((clock) => clock.#isFrozen),
      pending: clocks.reduce((sum, clock) => sum + clock.#runner.pending, 0),
      next: wait === Infinity ? null : this.now() + wait,
    };
  }

  /** Checks a time for {@link advance}. @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` */
  checkAdvance(by: number | 'idle'): void {
    if (by !== 'idle' && this.now() + by > LAST_TIME) throw invalid('advance', BEYOND_END);
  }

  /** Freezes the clock, so that timers run only in `advance`, or lets it run again. */
  freeze(isFrozen = true): void {
    this.#isFrozen = isFrozen;
    this.#stand();
  }

  /**
   * Moves the clock, and resolves when everything that came due has run. Several calls run one after
   * the other.
   *
   * @param by a time in ms, or `idle`: until nothing is pending
   * @throws MomoMockError `MOMO_MOCK_TIMER_FAILED` at the end, if timers failed;
   *   earlier, if the promise of one does not settle
   */
  async advance(by: number | 'idle'): Promise<void> {
    // The service also moves the clocks of the accounts.
    const clocks = [...this.#both(), ...this.#accounts];
    const before = Promise.all(clocks.map((clock) => clock.#lastAdvance));
    const moved = before.then(() => this.#advance(by));
    this.#advances++;
    this.#lastAdvance = moved.catch(() => {}).then(() => this.#ended());
    this.#changed();
    await this.#lastAdvance;
    await moved;
  }

  /** Drops all timers, and follows the time of the system again. */
  reset(): void {
    for (const clock of this.#clocks()) clock.#reset();
  }

  /** Drops all timers. No more can be set. */
  close(): void {
    this.#isClosed = true;
    this.reset();
  }

  async #advance(by: number | 'idle'): Promise<void> {
    const resets = this.#resets;
    this.#isAdvancing = true;
    this.#stand();
    const clocks = () => this.#clocks().map((clock) => clock.#standing);
    const moveBy = (ms: number) => {
      for (const clock of this.#clocks()) clock.#time.moveBy(ms);
    };
    const isVoid = () => this.#resets !== resets;
    await advanceClocks({ clocks, moveBy, isVoid }, by);
  }

  #ended(): void {
    this.#advances--;
    this.#isAdvancing = false;
    this.#stand();
  }

  #reset(): void {
    this.#resets++;
    this.#isFrozen = false;
    this.#isAdvancing = false;
    this.#runner.drop();
    this.#time.reset();
    this.#changed();
  }

  /** This clock, and of the service those of the accounts that move with it. */
  #clocks(): Clock[] {
    return [this, ...this.#accounts];
  }

  /** This clock, and that of the service, which it follows. */
  #both(): Clock[] {
    return this.#service === undefined ? [this] : [this, this.#service];
  }

  /** Stands still or runs on, after it was frozen or moved. */
  #stand(): void {
    this.#time.stand(this.#isFrozen || this.#isAdvancing);
    for (const clock of this.#accounts) clock.#setAlarm();
    this.#changed();
  }

  #changed(): void {
    const isUsed = this.#runner.pending + this.#advances > 0 || this.#isFrozen;
    if (this.#service !== undefined) {
      if (isUsed) this.#service.#accounts.add(this);
      else this.#service.#accounts.delete(this);
    }
    this.#setAlarm();
    this.#onChange();
  }

  /** Runs the next timer in real time. */
  #setAlarm(): void {
    clearTimeout(this.#alarm);
    const wait = waitOf(this.#standing);
    if (wait === Infinity || this.#both().some((clock) => clock.#time.isStanding)) return;
    const ring = () => {
      this.#runner.startDue(this.now());
      this.#setAlarm();
    };
    this.#alarm = setTimeout(ring, Math.min(wait, LONGEST_TIMEOUT)).unref();
  }
}
