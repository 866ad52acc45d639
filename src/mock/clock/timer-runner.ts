import { MomoMockError } from '../../errors.ts';
import { clearTimeout, setTimeout } from '../../timers.ts';
import { lateAfter, type TimerFailure } from './timer-failure.ts';
import { type Timer, TimerQueue } from './timer-queue.ts';

/** Something that a timer started. */
interface Run extends Pick<Timer, 'place'> {
  readonly settled: Promise<TimerFailure | undefined>;
  /** Ends the wait for it. */
  readonly end: (failure?: TimerFailure) => void;
}

/** Whom a clock tells what happens. */
export interface TimerListeners {
  /** Is called when a timer is set or has run, and when the clock is moved, frozen or reset. */
  readonly onChange: () => void;
  /**
   * Is called with the error of a timer, and the place where a handler set it. Returns the place of
   * the error in the user's fixtures, or the other one.
   */
  readonly onError: (error: unknown, setAt?: string) => string | undefined;
  /**
   * How long `advance` waits for the promise of a timer that a handler set, in ms.
   *
   * @default no limit
   */
  readonly longest?: number | undefined;
}

const NONE: readonly never[] = [];

/** Counts the timers of all clocks. */
let made = 0;

/** The timers of a clock, and what they started. */
export class TimerRunner {
  readonly #queue = new TimerQueue();
  readonly #running = new Set<Run>();
  readonly #listeners: TimerListeners;
  #due: number | undefined;

  constructor(listeners: TimerListeners) {
    this.#listeners = listeners;
  }

  /** How many timers are set or running. */
  get pending(): number {
    return this.#queue.size + this.#running.size;
  }

  /** The due time of the timer whose function is called at this moment. */
  get due(): number | undefined {
    return this.#due;
  }

  /** The due time of the next timer. */
  get next(): number | undefined {
    return this.#queue.next?.due;
  }

  /** Waits until what runs has ended. Resolves with the failures. */
  ended(): Promise<readonly TimerFailure[]> | readonly never[] {
    return this.#running.size === 0 ? NONE : this.#wait([...this.#running]);
  }

  /**
   * Sets a timer.
   *
   * @returns cancels it
   */
  set(due: number, act: () => unknown, place?: () => string): () => void {
    const timer = { due, order: made++, act, place };
    this.#queue.add(timer);
    this.#listeners.onChange();
    return () => {
      if (this.#queue.remove(timer)) this.#listeners.onChange();
    };
  }

  /** The timers that are due at a time or before, in order. They are to be started. */
  takeDue(time: number): readonly Timer[] {
    return this.#queue.takeDue(time);
  }

  /** Starts a timer, if it was not cancelled. */
  start(timer: Timer): void {
    if (!this.#queue.remove(timer)) return;
    this.#due = timer.due;
    const result = call(timer.act);
    this.#due = undefined;
    let end = (_failure?: TimerFailure): void => {};
    const settled = new Promise<TimerFailure | undefined>((resolve) => {
      end = resolve;
    });
    const run: Run = { settled, end, place: timer.place };
    this.#running.add(run);
    result.then(
      () => this.#finish(run),
      (error) => this.#finish(run, () => ({ place: this.#report(error, run) })),
    );
  }

  /**
   * Starts the timers that are due, in order. Timers that these set wait for the next call, even if
   * they are due as well.
   */
  startDue(now: number): void {
    for (const timer of this.takeDue(now)) this.start(timer);
  }

  async #wait(runs: readonly Run[]): Promise<readonly TimerFailure[]> {
    const { longest } = this.#listeners;
    const timer = longest && setTimeout(() => this.#giveUp(runs, lateAfter(longest)), longest);
    const ended = await Promise.all(runs.map(({ settled }) => settled));
    clearTimeout(timer);
    return ended.filter((failure) => failure !== undefined);
  }

  /** Waits no longer for those that a handler set. A callback always ends. */
  #giveUp(runs: readonly Run[], late: string): void {
    const error = new MomoMockError('MOMO_MOCK_TIMER_FAILED', `its promise ${late}`);
    for (const run of runs) {
      if (run.place) this.#finish(run, () => ({ place: this.#report(error, run), late }));
    }
  }

  #report(error: unknown, { place }: Run): string | undefined {
    return this.#listeners.onError(error, place?.());
  }

  #finish(run: Run, failure?: () => TimerFailure): void {
    // A run that was dropped belongs to no test any more.
    if (!this.#running.delete(run)) return;
    run.end(failure?.());
    this.#listeners.onChange();
  }

  /** Removes all timers, and waits no longer for what runs. */
  drop(): void {
    this.#queue.clear();
    for (const { end } of this.#running) end();
    this.#running.clear();
  }
}

/** Calls a function, which runs immediately up to its first `await`. */
async function call(act: () => unknown): Promise<unknown> {
  return await act();
}
