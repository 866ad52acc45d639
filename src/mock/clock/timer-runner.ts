import TinyQueue from 'tinyqueue';
import { MomoMockError } from '../../errors.ts';
import { clearTimeout, setTimeout } from '../../timers.ts';

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

/** A function that a clock runs later. */
export interface Timer {
  /** The time at which it is due, in ms since 1970. */
  readonly due: number;
  /** Counts the timers of all clocks, for the order of those that are due together. */
  readonly order: number;
  readonly act: () => unknown;
  /** Returns the place in the user's code where a handler set it. */
  readonly place: (() => string) | undefined;
}

/** A timer whose function failed. */
export interface TimerFailure {
  /** The place of the error in the user's fixtures, as `file:line:column`, if it has one. */
  readonly place: string | undefined;
  /** What happened, such as `it threw a TypeError`, without values of a request. */
  readonly cause: string;
  /** If its promise does not settle, this in words. */
  readonly late?: string | undefined;
}

/** Whom a clock tells what happens. */
export interface TimerListeners {
  /** Is called when a timer is set or has run, and when the clock is moved, frozen or reset. */
  readonly onChange: () => void;
  /**
   * Is called with the error of a timer, and the place where a handler set it. Returns what happened,
   * and the place of the error in the user's fixtures, or the other one.
   */
  readonly onError: (error: unknown, setAt?: string) => Omit<TimerFailure, 'late'>;
  /**
   * How long `advance` waits for the promise of a timer that a handler set, in ms.
   *
   * @default no limit
   */
  readonly longest?: number | undefined;
}

/** A timer that runs. It is ended when its promise settles, or when nobody waits for it any more. */
interface Run extends Pick<Timer, 'place'> {
  readonly ended: Promise<TimerFailure | undefined>;
  readonly end: (failure?: TimerFailure) => void;
}

/** Counts the timers of all clocks. */
let made = 0;

/** The timers of a clock, and what they started. */
export class TimerRunner {
  readonly #listeners: TimerListeners;
  /** Has also timers that were cancelled, until they would be next. */
  readonly #queue = new TinyQueue<Timer>([], byDue);
  readonly #waiting = new Set<Timer>();
  readonly #running = new Set<Run>();
  /** The due time of the timer whose function is called at this moment. */
  due: number | undefined;

  constructor(listeners: TimerListeners) {
    this.#listeners = listeners;
  }

  /** How many timers are set or running. */
  get pending(): number {
    return this.#waiting.size + this.#running.size;
  }

  /** The due time of the next timer. */
  get next(): number | undefined {
    return this.#next()?.due;
  }

  /**
   * Sets a timer.
   *
   * @returns cancels it
   */
  set(due: number, act: () => unknown, place?: () => string): () => void {
    const timer = { due, order: made++, act, place };
    this.#waiting.add(timer);
    this.#queue.push(timer);
    this.#listeners.onChange();
    return () => {
      if (this.#waiting.delete(timer)) this.#listeners.onChange();
    };
  }

  /** Takes the timers that are due at a time or before, in order. They are to be started. */
  takeDue(time: number): Timer[] {
    const due: Timer[] = [];
    for (let next = this.#next(); next !== undefined && next.due <= time; next = this.#next()) {
      this.#queue.pop();
      due.push(next);
    }
    return due;
  }

  /** Starts a timer, if it was not cancelled. Its function runs immediately up to its first `await`. */
  start(timer: Timer): void {
    if (!this.#waiting.delete(timer)) return;
    let end: Run['end'] = () => {};
    const ended = new Promise<TimerFailure | undefined>((resolve) => (end = resolve));
    const run: Run = { ended, end, place: timer.place };
    this.#running.add(run);
    this.due = timer.due;
    const result = call(timer.act);
    this.due = undefined;
    result.then(
      () => this.#finish(run),
      (error) => this.#fail(run, error),
    );
  }

  /** Waits until what runs has ended. Resolves with the failures. */
  async ended(): Promise<TimerFailure[]> {
    if (this.#running.size === 0) return [];
    const runs = [...this.#running];
    const { longest } = this.#listeners;
    const timer = longest && setTimeout(() => this.#giveUp(runs, longest), longest);
    const ended = await Promise.all(runs.map((run) => run.ended));
    clearTimeout(timer);
    return ended.filter((failure) => failure !== undefined);
  }

  /** Drops all timers, and waits no longer for what runs. */
  drop(): void {
    this.#waiting.clear();
    for (const { end } of this.#running) end();
    this.#running.clear();
  }

  #next(): Timer | undefined {
    let next = this.#queue.peek();
    while (next !== undefined && !this.#waiting.has(next)) {
      this.#queue.pop();
      next = this.#queue.peek();
    }
    return next;
  }

  /** Waits no longer for those that a handler set. A callback always ends. */
  #giveUp(runs: readonly Run[], longest: number): void {
    const late = `did not settle within ${longest} ms, which is MOMO_MOCK_CLIENT_TIMEOUT`;
    const error = new MomoMockError('MOMO_MOCK_TIMER_FAILED', `its promise ${late}`);
    for (const run of runs) if (run.place !== undefined) this.#fail(run, error, late);
  }

  #fail(run: Run, error: unknown, late?: string): void {
    // A run that was dropped belongs to no test any more.
    if (!this.#running.has(run)) return;
    this.#finish(run, { ...this.#listeners.onError(error, run.place?.()), late });
  }

  #finish(run: Run, failure?: TimerFailure): void {
    if (!this.#running.delete(run)) return;
    run.end(failure);
    this.#listeners.onChange();
  }
}

function byDue(one: Timer, two: Timer): number {
  return one.due - two.due || one.order - two.order;
}

async function call(act: () => unknown): Promise<unknown> {
  return await act();
}
