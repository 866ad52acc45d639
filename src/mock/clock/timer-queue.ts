import TinyQueue from 'tinyqueue';
import { MomoMockError } from '../../errors.ts';
import { clearTimeout, setTimeout } from '../../timers.ts';

export interface TimerOptions {
  /** Called when a timer is set or has run, when a clock is moved, frozen or reset, and for prompts. */
  readonly onChange: (what?: 'prompts') => void;
  /** @param setAt where a handler set the timer */
  readonly onError: (error: unknown, setAt?: string) => Omit<TimerFailure, 'late'>;
  /** How long `advance` waits for the promise of a handler's timer. */
  readonly maxTimerMs: number;
}

export interface TimerFailure {
  /** Of the error in the user's fixtures, or where the timer was set: `file:line:column`. */
  readonly place: string | undefined;
  /** What happened, such as `it threw a TypeError`, without values from a request. */
  readonly cause: string;
  /** It is a sentence about a promise that does not settle. */
  readonly late?: string | undefined;
}

export interface AfterOptions {
  /** Returns where a handler set it. `advance` only gives up on such timers. */
  readonly place?: () => string;
  /** The request whose handler set it. */
  readonly owner?: object;
  /** It settles when the response has left. The timer does not run before that. */
  readonly ready?: Promise<unknown>;
}

export interface Timer extends AfterOptions {
  readonly due: number;
  /** Numbers the timers of all clocks, to order those that are due together. */
  readonly order: number;
  readonly act: () => unknown;
  /** Whether it still waits for a response. */
  isHeld: boolean;
  /** Resolves when its promise has settled, or nobody waits for it any more. */
  readonly ended: Promise<TimerFailure | undefined>;
  readonly end: (failure?: TimerFailure) => void;
}

let order = 0;

/** The waiting and running timers of one clock. */
export class TimerQueue {
  readonly #options: TimerOptions;
  /** Contains cancelled timers until they would be next. */
  readonly #queue = new TinyQueue<Timer>([], (a, b) => a.due - b.due || a.order - b.order);
  readonly #waiting = new Set<Timer>();
  readonly #running = new Set<Timer>();
  /** The due time of the timer whose function is being called. */
  due: number | undefined;
  /** How many timers handlers have set. A drop keeps it: the snapshot at the end says how many were pending. */
  ofHandlers = 0;

  constructor(options: TimerOptions) {
    this.#options = options;
  }

  get pending(): number {
    return this.#waiting.size + this.#running.size;
  }

  get nextDue(): number | undefined {
    return this.#next()?.due;
  }

  /** Whether a timer that a request's handler set is waiting or running. */
  has(owner: object): boolean {
    return [...this.#waiting, ...this.#running].some((timer) => timer.owner === owner);
  }

  set(due: number, act: () => unknown, options: AfterOptions = {}): Timer {
    const { place, ready } = options;
    let end: Timer['end'] = () => {};
    const ended = new Promise<TimerFailure | undefined>((resolve) => (end = resolve));
    const isHeld = ready !== undefined;
    const timer = { ...options, due, order: order++, act, isHeld, ended, end };
    this.#waiting.add(timer);
    this.#queue.push(timer);
    if (place !== undefined) this.ofHandlers++;
    this.#options.onChange();
    return timer;
  }

  cancel(timer: Timer): void {
    if (!this.#waiting.delete(timer)) return;
    if (timer.place !== undefined) this.ofHandlers--;
    this.#options.onChange();
  }

  /** Takes the timers that are due at `time` or earlier, in order. The caller starts them. */
  takeDue(time: number, limit = Infinity): Timer[] {
    const due: Timer[] = [];
    for (let next = this.#next(); next !== undefined && next.due <= time; next = this.#next()) {
      if (due.length >= limit) break;
      this.#queue.pop();
      due.push(next);
    }
    return due;
  }

  /** It does nothing if another timer has cancelled this one. */
  start(timer: Timer): void {
    if (!this.#waiting.delete(timer)) return;
    this.#running.add(timer);
    this.due = timer.due;
    const result = (async () => {
      if (timer.isHeld) await timer.ready;
      timer.isHeld = false;
      return await timer.act();
    })();
    this.due = undefined;
    result.then(
      () => this.#end(timer),
      (error) => this.#fail(timer, error),
    );
  }

  /** The failures of the running timers, or of some of them, after these have ended. */
  async ended(isAwaited: (timer: Timer) => boolean = () => true): Promise<TimerFailure[]> {
    const timers = [...this.#running].filter(isAwaited);
    if (timers.length === 0) return [];
    const limit = setTimeout(() => this.#giveUp(timers), this.#options.maxTimerMs);
    const failures = await Promise.all(timers.map((timer) => timer.ended));
    clearTimeout(limit);
    return failures.filter((failure) => failure !== undefined);
  }

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

  /** Only handlers' timers can last forever, because a webhook always ends. */
  #giveUp(timers: readonly Timer[]): void {
    const { maxTimerMs } = this.#options;
    const late = `did not settle within ${maxTimerMs} ms, which is MOMO_MOCK_CLIENT_TIMEOUT`;
    const error = new MomoMockError('MOMO_MOCK_TIMER_FAILED', `its promise ${late}`);
    for (const timer of timers) if (timer.place !== undefined) this.#fail(timer, error, late);
  }

  #fail(timer: Timer, error: unknown, late?: string): void {
    // A dropped timer no longer belongs to a test.
    if (!this.#running.has(timer)) return;
    this.#end(timer, { ...this.#options.onError(error, timer.place?.()), late });
  }

  #end(timer: Timer, failure?: TimerFailure): void {
    if (!this.#running.delete(timer)) return;
    if (timer.place !== undefined) this.ofHandlers--;
    timer.end(failure);
    this.#options.onChange();
  }
}
