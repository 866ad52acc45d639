import TinyQueue from 'tinyqueue';
import { MomoMockError } from '../../errors.ts';
import { clearTimeout, setTimeout } from '../../timers.ts';

/** Runs functions later, by a clock that tests can move. */
export interface Timers {
  /** The time in ms since 1970. While a timer runs, it is the time at which the timer was due. */
  now(): number;
  /**
   * Runs a function later. Timers that are due together start in the order in which they were set.
   * `advance` waits until the promise of the function settles.
   *
   * @param ms from now
   * @param place returns where a handler set it. Only for these, `advance` gives up on a promise
   * @returns cancels it
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  after(ms: number, act: () => unknown, place?: () => string): () => void;
}

/** What the timers of all clocks of a mock share. */
export interface TimerOptions {
  /** Called when a timer is set or has run, and when a clock is moved, frozen or reset. */
  readonly onChange: () => void;
  /** Called with the error of a timer, and the place where a handler set it. */
  readonly onError: (error: unknown, setAt?: string) => Omit<TimerFailure, 'late'>;
  /**
   * How long `advance` waits for the promise of a timer that a handler set, in ms.
   *
   * @default no limit
   */
  readonly longest?: number | undefined;
}

export interface TimerFailure {
  /** The place of the error in the user's fixtures, or where the timer was set, as `file:line:column`. */
  readonly place: string | undefined;
  /** What happened, such as `it threw a TypeError`, without values of a request. */
  readonly cause: string;
  /** If its promise does not settle, this in words. */
  readonly late?: string | undefined;
}

/** A function that a clock runs later. */
export interface Timer {
  /** In ms since 1970. */
  readonly due: number;
  /** Counts the timers of all clocks, for the order of those that are due together. */
  readonly order: number;
  readonly act: () => unknown;
  /** Returns where a handler set it. */
  readonly place: (() => string) | undefined;
  /** Resolves when its promise has settled, or when nobody waits for it any more. */
  readonly ended: Promise<TimerFailure | undefined>;
  readonly end: (failure?: TimerFailure) => void;
}

let order = 0;

/** The timers of one clock: those that wait, and those that run. */
export class TimerQueue {
  readonly #options: TimerOptions;
  /** Also contains cancelled timers, until they would be next. */
  readonly #queue = new TinyQueue<Timer>([], byDue);
  readonly #waiting = new Set<Timer>();
  readonly #running = new Set<Timer>();
  /** The due time of the timer whose function is being called. */
  due: number | undefined;

  constructor(options: TimerOptions) {
    this.#options = options;
  }

  /** How many timers wait or run. */
  get pending(): number {
    return this.#waiting.size + this.#running.size;
  }

  get nextDue(): number | undefined {
    return this.#next()?.due;
  }

  /** Returns a function that cancels the timer. */
  set(due: number, act: () => unknown, place?: () => string): () => void {
    let end: Timer['end'] = () => {};
    const ended = new Promise<TimerFailure | undefined>((resolve) => (end = resolve));
    const timer = { due, order: order++, act, place, ended, end };
    this.#waiting.add(timer);
    this.#queue.push(timer);
    this.#options.onChange();
    return () => {
      if (this.#waiting.delete(timer)) this.#options.onChange();
    };
  }

  /** Takes the timers that are due at a time or before, in order. The caller starts them. */
  takeDue(time: number): Timer[] {
    const due: Timer[] = [];
    for (let next = this.#next(); next !== undefined && next.due <= time; next = this.#next()) {
      this.#queue.pop();
      due.push(next);
    }
    return due;
  }

  /** Starts a timer, unless another one has cancelled it. Calls its function immediately. */
  start(timer: Timer): void {
    if (!this.#waiting.delete(timer)) return;
    this.#running.add(timer);
    this.due = timer.due;
    const result = call(timer.act);
    this.due = undefined;
    result.then(
      () => this.#end(timer),
      (error) => this.#fail(timer, error),
    );
  }

  /** Waits until what runs has ended. Resolves with the failures. */
  async ended(): Promise<TimerFailure[]> {
    if (this.#running.size === 0) return [];
    const timers = [...this.#running];
    const { longest } = this.#options;
    const limit = longest && setTimeout(() => this.#giveUp(timers, longest), longest);
    const failures = await Promise.all(timers.map((timer) => timer.ended));
    clearTimeout(limit);
    return failures.filter((failure) => failure !== undefined);
  }

  /** Drops all timers, and waits no longer for those that run. */
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

  /** Only timers of handlers can last forever: a callback always ends. */
  #giveUp(timers: readonly Timer[], longest: number): void {
    const late = `did not settle within ${longest} ms, which is MOMO_MOCK_CLIENT_TIMEOUT`;
    const error = new MomoMockError('MOMO_MOCK_TIMER_FAILED', `its promise ${late}`);
    for (const timer of timers) if (timer.place !== undefined) this.#fail(timer, error, late);
  }

  #fail(timer: Timer, error: unknown, late?: string): void {
    // A timer that was dropped no longer belongs to a test.
    if (!this.#running.has(timer)) return;
    this.#end(timer, { ...this.#options.onError(error, timer.place?.()), late });
  }

  #end(timer: Timer, failure?: TimerFailure): void {
    if (!this.#running.delete(timer)) return;
    timer.end(failure);
    this.#options.onChange();
  }
}

function byDue(a: Timer, b: Timer): number {
  return a.due - b.due || a.order - b.order;
}

async function call(act: () => unknown): Promise<unknown> {
  return await act();
}
