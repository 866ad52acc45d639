import TinyQueue from 'tinyqueue';

/** A function that a clock runs later. */
export interface Timer {
  /** The time at which it is due, in ms since 1970. */
  readonly due: number;
  /** Counts the timers of all clocks, for the order of those that are due together. */
  readonly order: number;
  readonly act: () => unknown;
  /** Returns the place in the user's code where a handler set it. */
  readonly place?: (() => string) | undefined;
}

/** Timers, the next one first. */
export class TimerQueue {
  /** Timers that were removed are still in it, until they would be next. */
  #queue = new TinyQueue<Timer>([], byDue);
  readonly #timers = new Set<Timer>();

  /** The number of timers. */
  get size(): number {
    return this.#timers.size;
  }

  /** The timer that is due next. */
  get next(): Timer | undefined {
    let next = this.#queue.peek();
    while (next !== undefined && !this.#timers.has(next)) {
      this.#queue.pop();
      next = this.#queue.peek();
    }
    return next;
  }

  /**
   * The timers that are due at a time or before, in order. They are not next any more, but count
   * until they are removed.
   */
  takeDue(time: number): Timer[] {
    const due: Timer[] = [];
    for (let { next } = this; next !== undefined && next.due <= time; { next } = this) {
      this.#queue.pop();
      due.push(next);
    }
    return due;
  }

  add(timer: Timer): void {
    this.#timers.add(timer);
    this.#queue.push(timer);
  }

  /** Removes a timer, if it is there. */
  remove(timer: Timer): boolean {
    return this.#timers.delete(timer);
  }

  clear(): void {
    this.#timers.clear();
    this.#queue = new TinyQueue<Timer>([], byDue);
  }
}

function byDue(one: Timer, two: Timer): number {
  return one.due - two.due || one.order - two.order;
}
