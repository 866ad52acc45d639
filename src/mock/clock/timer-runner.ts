import type { TimerFailure } from './timer-failure.ts';
import { type Timer, TimerQueue } from './timer-queue.ts';

/** Something that a timer started. */
interface Run {
  readonly settled: Promise<TimerFailure | undefined>;
  /** Ends the wait for it. */
  readonly end: () => void;
}

/** Whom a clock tells what happens. */
export interface TimerListeners {
  /** Is called when a timer is set or has run, and when the clock is moved, frozen or reset. */
  readonly onChange: () => void;
  /** Is called with the error of a timer. Returns its place in the user's fixtures, if it has one. */
  readonly onError: (error: unknown) => string | undefined;
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

  /** What runs: promises of the failures. */
  get running(): readonly Promise<TimerFailure | undefined>[] {
    if (this.#running.size === 0) return NONE;
    return Array.from(this.#running, ({ settled }) => settled);
  }

  /**
   * Sets a timer.
   *
   * @returns cancels it
   */
  set(due: number, act: () => unknown): () => void {
    const timer = { due, order: made++, act };
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
    const run: Run = { settled, end };
    this.#running.add(run);
    const finish = (failure?: () => TimerFailure) => {
      // A run that was dropped belongs to no test any more.
      if (!this.#running.delete(run)) return;
      end(failure?.());
      this.#listeners.onChange();
    };
    result.then(
      () => finish(),
      (error) => finish(() => ({ place: this.#listeners.onError(error) })),
    );
  }

  /**
   * Starts the timers that are due, in order. Timers that these set wait for the next call, even if
   * they are due as well.
   */
  startDue(now: number): void {
    for (const timer of this.takeDue(now)) this.start(timer);
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
