import { invalid, MomoMockError } from '../../errors.ts';
import { clearTimeout, nextTurn, setImmediate, setTimeout } from '../../timers.ts';
import type { Remembered } from '../account/remembered.ts';
import type * as Forms from '../account/saved-forms.ts';
import { MAX_PENDING_TIMERS, MAX_STEP_MS, MAX_TIME, MAX_TIMERS } from '../limits.ts';
import { type OpenPrompt, OpenPrompts } from '../prompts/open-prompts.ts';
import type { ClockChange } from './clock-change.ts';
import {
  type AfterOptions,
  type Timer,
  type TimerFailure,
  type TimerOptions,
  TimerQueue,
} from './timer-queue.ts';

/** The longest delay of a Node timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Timers in a turn of the event loop. Requests are served between two turns. */
const MAX_IN_TURN = 50;

const BEYOND_END = 'the clock ends with the year 9999. Use less time, or reset the clock';

/** The clock of handlers, what it runs, and what waits for people. */
export interface MomoClock {
  /** In ms since 1970. */
  readonly now: number;
  readonly frozen: boolean;
  /** How many timers are set or running. Of all accounts: in all of them. */
  readonly pending: number;
  /** When the next timer is due, in ms since 1970. */
  readonly next: number | null;
  /** How many prompts are open. `pending` and `next` do not count their timeouts. */
  readonly prompts: number;
}

/**
 * The clock of an account, or of all accounts, and its timers. An account's clock follows the clock
 * of all accounts: it moves and stops with it. It can also be moved and frozen by itself. A clock
 * stands still during an advance.
 */
export abstract class Clock implements Remembered {
  readonly event = 'clock';
  readonly #onChange: TimerOptions['onChange'];
  readonly #timers: TimerQueue;
  readonly #prompts = new OpenPrompts();
  #state: 'running' | 'frozen' | 'advancing' | 'closed' = 'running';
  /** Whether it is frozen when it is not advanced. */
  #isFrozen = false;
  /** Where it stands; `undefined` while it follows. */
  #at: number | undefined;
  /** How far it is from the clock that it follows. */
  #offset = 0;
  /** They are in order. The end of the clock drops them. */
  readonly #advances = new Set<Promise<void>>();
  #alarm: ReturnType<typeof setTimeout> | undefined;
  #isRinging = false;

  constructor(options: TimerOptions) {
    this.#onChange = options.onChange;
    this.#timers = new TimerQueue({ ...options, onChange: () => this.#changed() });
  }

  /** Itself, and the clock that it follows. */
  protected abstract readonly followed: readonly Clock[];

  /** Itself, and the clocks that move with it. */
  protected abstract get clocks(): readonly Clock[];

  /** The time that it follows. */
  protected abstract base(): number;

  /** Called with whether it does more than follow. */
  protected setActive(_isActive: boolean): void {}

  /** While a timer runs, the time at which it was due. */
  now(): number {
    return this.#timers.due ?? this.#time();
  }

  /**
   * Runs a function later. `advance` waits until its promise settles.
   *
   * @returns a function that cancels it
   */
  after(ms: number, callback: () => unknown, options: AfterOptions = {}): () => void {
    if (!(typeof ms === 'number' && ms >= 0 && ms <= MAX_STEP_MS)) {
      throw invalid('the time of after', `must be a number of ms from 0 to ${MAX_STEP_MS}`);
    }
    if (typeof callback !== 'function') throw invalid('what after runs', 'must be a function');
    if (this.#state === 'closed') return () => {};
    const due = this.now() + Math.round(ms);
    if (due > MAX_TIME) throw invalid('the time of after', BEYOND_END);
    const isHandlers = options.place !== undefined;
    if (isHandlers && this.#timers.ofHandlers >= MAX_PENDING_TIMERS) throw tooManyTimers();
    const timer = this.#timers.set(due, callback, options);
    return () => this.#timers.cancel(timer);
  }

  /** Makes `advance` wait for something that already runs. */
  include(work: Promise<unknown>): void {
    if (this.#state === 'closed') return;
    this.#timers.start(this.#timers.set(this.now(), () => work));
  }

  ask(prompt: OpenPrompt): void {
    if (this.#state === 'closed') return;
    this.#prompts.add(prompt);
    this.#changed();
    this.#onChange('prompts');
  }

  /** Of all accounts: in all of them. */
  get prompts(): readonly OpenPrompt[] {
    return this.clocks.flatMap((clock) => [...clock.#prompts]);
  }

  /** Ends one of the prompts, even while the clock is frozen. Resolves when its function has run. */
  async answer(prompt: OpenPrompt, choice: string): Promise<void> {
    const clock = this.clocks.find((clock) => clock.#prompts.has(prompt)) ?? this;
    const timer = clock.#end(prompt, clock.now(), choice);
    clock.#timers.start(timer);
    const failures = await clock.#timers.ended((running) => running === timer);
    if (failures.length > 0) throw failedTo('answer the prompt', timersFailed(failures));
  }

  #end(prompt: OpenPrompt, due = prompt.due, choice?: string): Timer {
    this.#prompts.delete(prompt);
    this.#onChange('prompts');
    return this.#timers.set(due, () => prompt.onEnd(choice), prompt.options);
  }

  get state(): MomoClock {
    const wait = this.#leastWait();
    return {
      now: this.now(),
      frozen: this.followed.some((clock) => clock.#isFrozen),
      pending: this.clocks.reduce((sum, clock) => sum + clock.#timers.pending, 0),
      next: wait === Infinity ? null : this.now() + wait,
      prompts: this.prompts.length,
    };
  }

  async change({ freeze, advance }: ClockChange): Promise<void> {
    if (typeof advance === 'number' && this.now() + advance > MAX_TIME) {
      throw invalid('advance', BEYOND_END);
    }
    if (freeze !== undefined) this.freeze(freeze);
    if (advance !== undefined) await this.advance(advance);
  }

  freeze(isFrozen: boolean): void {
    this.#isFrozen = isFrozen;
    this.#offset = this.#time() - this.base();
    if (this.#state !== 'advancing') this.#rest();
    this.#moved();
  }

  /** Stands or follows, when it is not advanced. */
  #rest(): void {
    this.#at = this.#isFrozen ? this.#time() : undefined;
    if (this.#state !== 'closed') this.#state = this.#isFrozen ? 'frozen' : 'running';
  }

  /**
   * Resolves after everything that is due has run. Several calls run one after the other.
   *
   * @param ms a time in ms, or `idle`: until nothing is pending
   */
  async advance(ms: number | 'idle'): Promise<void> {
    // The clock of all accounts also moves their clocks.
    const before = [...this.clocks, ...this.followed].flatMap((clock) => [...clock.#advances]);
    await this.#stand(async (isDropped) => {
      await Promise.allSettled(before);
      await this.#run(ms, isDropped);
    });
  }

  hasTimerOf(owner: object): boolean {
    return this.#timers.has(owner);
  }

  /**
   * Moves on to what is due next while the response of a request waits for it. Unlike an advance, it
   * waits neither for what runs already, nor for what waits for a response: both may wait for this one.
   *
   * @param isNeeded called before each step
   */
  async advanceFor(owner: object, isNeeded: () => Promise<boolean>): Promise<void> {
    const ended = (isAwaited: (timer: Timer) => boolean) =>
      Promise.all(this.clocks.map((clock) => clock.#timers.ended(isAwaited)));
    await this.#stand(async (isDropped) => {
      const isOver = async () => isDropped() || !(await isNeeded()) || isDropped();
      let due: readonly Timer[] = [];
      for (let started = 0; started < MAX_TIMERS; started += due.length) {
        await ended((timer) => timer.owner === owner);
        await nextTurn();
        if (await isOver()) return;
        // Only now, because the response does not wait for what was due together with its webhook.
        await ended((timer) => due.includes(timer) && !timer.isHeld);
        if (await isOver()) return;
        // It stands from now on, so that it moves to the very time of the timer.
        this.#moveBy(0);
        const wait = this.#leastWait();
        if (wait === Infinity) return;
        this.#moveBy(wait, true);
        due = this.#startDue();
      }
    });
  }

  /** Keeps the clock from moving by itself while a function runs, unless a reset drops it. */
  async #stand(run: (isDropped: () => boolean) => Promise<void>): Promise<void> {
    const isDropped = (): boolean => !this.#advances.has(advance);
    const advance: Promise<void> = Promise.resolve()
      .then(() => run(isDropped))
      .finally(() => {
        if (!this.#advances.delete(advance)) return;
        if (this.#advances.size === 0) this.#rest();
        this.#moved();
      });
    this.#advances.add(advance);
    this.#changed();
    await advance;
  }

  #moved(): void {
    for (const clock of this.clocks) clock.#setAlarm();
    this.#changed();
  }

  /** How many timers and prompts of handlers are pending, or were when it was closed. */
  get ofHandlers(): number {
    return this.#timers.ofHandlers + this.#prompts.size;
  }

  /** @internal */
  form({ Type, closedObject, count }: typeof Forms) {
    return closedObject({
      offset: Type.Optional(count(MAX_TIME, -MAX_TIME)),
      // Not how far it is then, because the clock that it follows moves on.
      frozenAt: Type.Optional(count(MAX_TIME)),
    });
  }

  save() {
    if (this.#isFrozen) return { frozenAt: this.#time() };
    return this.#offset === 0 ? undefined : { offset: this.#offset };
  }

  /** @internal */
  load({ offset = 0, frozenAt }: Forms.Saved<Clock>): void {
    this.#offset = offset;
    this.#isFrozen = frozenAt !== undefined;
    this.#at = frozenAt;
    this.#rest();
  }

  /** Makes the clock of all accounts move what a snapshot froze. */
  begin(): void {
    this.#changed();
  }

  /** Drops all timers, and refuses new ones. The clock of all accounts no longer moves it. */
  close(): void {
    this.#timers.ofHandlers = this.ofHandlers;
    this.#state = 'closed';
    this.#advances.clear();
    this.#rest();
    this.#timers.drop();
    this.#prompts.clear();
    this.#changed();
    this.#onChange('prompts');
  }

  /**
   * Timers that are due together start in the order in which they were set. The clocks move on
   * after everything that these started has ended. They stop at a timer whose promise does not
   * settle.
   */
  async #run(target: number | 'idle', isDropped: () => boolean): Promise<void> {
    if (isDropped()) return;
    this.#moveBy(0);
    this.#moved();
    const failures: TimerFailure[] = [];
    // Not a sum of steps, because a response that waits for a webhook may move the clock meanwhile.
    const isIdle = target === 'idle';
    const end = isIdle ? Infinity : this.#time() + target;
    for (let started = 0; ; ) {
      const ended = await Promise.all(this.clocks.map((clock) => clock.#timers.ended()));
      failures.push(...ended.flat());
      if (failures.some(({ late }) => late !== undefined)) break;
      // A timer may have started work that it does not await, and that sets timers, too.
      await nextTurn();
      if (isDropped()) return;
      const wait = this.#leastWait(!isIdle);
      if (wait === Infinity && isIdle) break;
      if (wait > 0 && this.#time() + wait > end) {
        this.#moveBy(Math.max(0, end - this.#time()));
        break;
      }
      if (started >= MAX_TIMERS) throw failedTo('advance the clock', endless());
      this.#moveBy(wait, isIdle);
      started += this.#startDue().length;
    }
    if (failures.length > 0 && !isDropped()) {
      throw failedTo('advance the clock', timersFailed(failures));
    }
  }

  #startDue(): Timer[] {
    const due = this.clocks.flatMap((clock) => {
      const time = clock.now();
      return clock.#takeDue().map((timer) => ({ clock, timer, late: time - timer.due }));
    });
    due.sort((a, b) => b.late - a.late || a.timer.order - b.timer.order);
    for (const { clock, timer } of due) clock.#timers.start(timer);
    return due.map(({ timer }) => timer);
  }

  #takeDue(limit?: number): Timer[] {
    const time = this.now();
    for (const prompt of this.#prompts) if (prompt.due <= time) this.#end(prompt);
    return this.#timers.takeDue(time, limit);
  }

  /**
   * Also moves the clocks that stand and therefore do not follow it. It stands from now on.
   *
   * @param skipsPrompts whether the time does not count for prompts
   */
  #moveBy(ms: number, skipsPrompts = false): void {
    this.#at = this.#time();
    if (this.#state !== 'closed') this.#state = 'advancing';
    this.#offset += ms;
    for (const clock of this.clocks) {
      if (skipsPrompts) clock.#prompts.postpone(ms);
      if (clock.#at !== undefined) clock.#at += ms;
    }
  }

  /** Unlike {@link now}, it ignores the due time of a running timer. */
  #time(): number {
    return Math.min(MAX_TIME, this.#at ?? this.base() + this.#offset);
  }

  #wait(hasPrompts: boolean): number {
    const prompts = hasPrompts ? this.#prompts.nextDue : Infinity;
    return Math.max(Math.min(this.#timers.nextDue ?? Infinity, prompts) - this.now(), 0);
  }

  #leastWait(hasPrompts = false): number {
    const waits = this.clocks.map((clock) => clock.#wait(hasPrompts));
    return waits.reduce((least, wait) => Math.min(least, wait), Infinity);
  }

  protected get isWaiting(): boolean {
    return this.#timers.pending + this.#prompts.size > 0;
  }

  get #isActive(): boolean {
    if (this.#state === 'closed') return false;
    return this.#state !== 'running' || this.#advances.size > 0 || this.isWaiting;
  }

  #changed(): void {
    this.setActive(this.#isActive);
    this.#setAlarm();
    this.#onChange();
  }

  /** Runs the next timer in real time. Timers that it sets wait for the next turn. */
  #setAlarm(): void {
    clearTimeout(this.#alarm);
    const wait = this.#wait(true);
    if (wait === Infinity || this.#isRinging || !this.#isRunning) return;
    this.#alarm = setTimeout(
      () => {
        this.#isRinging = true;
        // While its own timers are due, Node serves no requests.
        setImmediate(() => this.#ring());
      },
      Math.min(wait, MAX_TIMEOUT_MS),
    ).unref();
  }

  #ring(): void {
    const due = this.#isRunning ? this.#takeDue(MAX_IN_TURN) : [];
    for (const timer of due) this.#timers.start(timer);
    this.#isRinging = false;
    this.#setAlarm();
  }

  get #isRunning(): boolean {
    return this.followed.every((clock) => clock.#state === 'running');
  }
}

function failedTo(aim: string, why: string): MomoMockError {
  return new MomoMockError('MOMO_MOCK_TIMER_FAILED', `Failed to ${aim}: ${why}`);
}

/** Why timers failed. It names places, and never quotes errors. */
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

function endless(): string {
  // Not at module load: the first use of a locale takes 20 ms.
  const most = MAX_TIMERS.toLocaleString('en');
  return `${most} timers ran, and more are due. Advance by less time, or correct a timer that sets itself again.`;
}

function tooManyTimers(): MomoMockError {
  const most = MAX_PENDING_TIMERS.toLocaleString('en');
  return invalid('after', `at most ${most} timers of an account can be pending. Reset the account`);
}
