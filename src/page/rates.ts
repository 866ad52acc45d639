/** The time range of the chart, in s. */
export const SPAN = 180;
/** The time range of one bar, in s. */
export const STEP = 3;
/** The time over which the current rate is counted, in s. */
const RECENT = 5;

export interface Bar {
  readonly rate: number;
  /** Durations in ms; `null` if no request ended. */
  readonly p50: number | null;
  readonly p95: number | null;
}

export class Rates {
  readonly #seconds = new Map<number, { requests: number; durations: number[] }>();

  /** Counts requests that arrived at a Unix time in ms, and the duration of one of them, in ms. */
  add(time: number, requests: number, duration: number | null = null): void {
    const second = Math.floor(time / 1000);
    const counts = this.#seconds.get(second) ?? { requests: 0, durations: [] };
    this.#seconds.set(second, counts);
    counts.requests += requests;
    if (duration !== null) counts.durations.push(duration);
  }

  /** The bars at a Unix time in ms, the oldest first. Forgets older seconds. */
  summary(now: number): Bar & { readonly bars: readonly Bar[] } {
    const last = Math.floor(now / 1000);
    const first = last - SPAN + 1;
    for (const second of this.#seconds.keys()) if (second < first) this.#seconds.delete(second);
    const bars = Array.from({ length: SPAN / STEP }, (_, at) =>
      this.#bar(first + at * STEP, first + (at + 1) * STEP),
    );
    // The current second is incomplete, so it does not count.
    const { rate } = this.#bar(last - RECENT, last);
    return { ...this.#bar(first, last + 1), rate, bars };
  }

  clear(): void {
    this.#seconds.clear();
  }

  #bar(start: number, end: number): Bar {
    const seconds = [...this.#seconds].filter(([second]) => second >= start && second < end);
    const requests = seconds.reduce((sum, [, second]) => sum + second.requests, 0);
    const durations = seconds.flatMap(([, second]) => second.durations);
    durations.sort((a, b) => a - b);
    const percentile = (share: number) =>
      durations[Math.max(0, Math.ceil(durations.length * share) - 1)] ?? null;
    return { rate: requests / (end - start), p50: percentile(0.5), p95: percentile(0.95) };
  }
}
