/** A function that a clock runs later. */
export interface Timer {
  /** The time at which it is due, in ms since 1970. */
  readonly due: number;
  /** Counts the timers of all clocks, for the order of those that are due together. */
  readonly order: number;
  readonly act: () => unknown;
}

/** Timers, the next one first. Adding and removing takes a time that hardly grows with their number. */
export class TimerQueue {
  /** A binary heap: no timer comes before the one at half of its position. */
  #heap: Timer[] = [];
  /** The position of each timer in the heap. */
  readonly #positions = new Map<Timer, number>();

  /** The number of timers. */
  get size(): number {
    return this.#heap.length;
  }

  /** The timer that is due next. */
  get next(): Timer | undefined {
    return this.#heap[0];
  }

  /** The timers that are due at a time or before, in no order. */
  dueBy(time: number): Timer[] {
    const due: Timer[] = [];
    const positions = [0];
    for (const position of positions) {
      const timer = this.#heap[position];
      if (timer === undefined || timer.due > time) continue;
      due.push(timer);
      positions.push(2 * position + 1, 2 * position + 2);
    }
    return due;
  }

  add(timer: Timer): void {
    this.#raise(this.#heap.length, timer);
  }

  /** Removes a timer, if it is there. */
  remove(timer: Timer): boolean {
    const position = this.#positions.get(timer);
    if (position === undefined) return false;
    this.#positions.delete(timer);
    const last = this.#heap.pop();
    if (last === undefined || last === timer) return true;
    this.#sink(position, last);
    this.#raise(this.#positions.get(last) ?? position, last);
    return true;
  }

  clear(): void {
    this.#heap = [];
    this.#positions.clear();
  }

  /** Puts a timer at a position, or nearer to the start. */
  #raise(from: number, timer: Timer): void {
    let position = from;
    while (position > 0) {
      const above = (position - 1) >> 1;
      const other = this.#heap[above];
      if (other === undefined || !isBefore(timer, other)) break;
      this.#put(position, other);
      position = above;
    }
    this.#put(position, timer);
  }

  /** Puts a timer at a position, or nearer to the end. */
  #sink(from: number, timer: Timer): void {
    let position = from;
    for (;;) {
      const left = 2 * position + 1;
      const [one, two] = [this.#heap[left], this.#heap[left + 1]];
      const isRight = one !== undefined && two !== undefined && isBefore(two, one);
      const first = isRight ? two : one;
      if (first === undefined || !isBefore(first, timer)) break;
      this.#put(position, first);
      position = isRight ? left + 1 : left;
    }
    this.#put(position, timer);
  }

  #put(position: number, timer: Timer): void {
    this.#heap[position] = timer;
    this.#positions.set(timer, position);
  }
}

function isBefore(one: Timer, two: Timer): boolean {
  return one.due < two.due || (one.due === two.due && one.order < two.order);
}
