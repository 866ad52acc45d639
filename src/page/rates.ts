/** The time that the chart shows, in s. */
export const SPAN = 180;
/** The time of one bar of the chart, in s. */
export const STEP = 3;
/** The time over which the present rate is counted, in s. */
const RECENT = 5;
/** The number of durations that are kept of one second. */
const MOST_DURATIONS = 200;

/** A bar of the chart. */
export interface Bar {
  /** Requests a second. */
  readonly rate: number;
  /** Durations in ms; `null` if no request ended. */
  readonly p50: number | null;
  readonly p95: number | null;
}

/** What the chart shows. */
export interface RateSummary extends Bar {
  /** The oldest bar first. */
  readonly bars: readonly Bar[];
  readonly highestRate: number;
  readonly highestDuration: number;
}

interface Second {
  requests: number;
  readonly durations: number[];
}

/** Counts requests and their durations by the second. */
export class Rates {
  readonly #seconds = new Map<number, Second>();

  /** Counts requests that arrived at a Unix time in ms. */
  begin(time: number, count = 1): void {
    this.#second(time).requests += count;
  }

  /** Counts the duration in ms of a request that arrived at a Unix time in ms. */
  end(time: number, duration: number): void {
    const { durations } = this.#second(time);
    if (durations.length < MOST_DURATIONS) durations.push(duration);
  }

  /** What to show at a Unix time in ms. Older seconds are forgotten. */
  summary(now: number): RateSummary {
    const last = Math.floor(now / 1000);
    const first = last - SPAN + 1;
    for (const second of this.#seconds.keys()) if (second < first) this.#seconds.delete(second);
    const bars = Array.from({ length: SPAN / STEP }, (_, at) =>
      this.#bar(first + at * STEP, first + (at + 1) * STEP),
    );
    return {
      ...this.#bar(first, last + 1),
      // The present second is not over.
      rate: this.#bar(last - RECENT, last).rate,
      bars,
      highestRate: Math.max(...bars.map(({ rate }) => rate)),
      highestDuration: Math.max(...bars.map(({ p95 }) => p95 ?? 0)),
    };
  }

  /** Forgets everything. */
  clear(): void {
    this.#seconds.clear();
  }

  #second(time: number): Second {
    const number = Math.floor(time / 1000);
    const second = this.#seconds.get(number) ?? { requests: 0, durations: [] };
    this.#seconds.set(number, second);
    return second;
  }

  #bar(start: number, end: number): Bar {
    const seconds = [...this.#seconds].filter(([number]) => number >= start && number < end);
    const requests = seconds.reduce((sum, [, second]) => sum + second.requests, 0);
    const durations = seconds.flatMap(([, second]) => second.durations);
    durations.sort((one, two) => one - two);
    const rate = requests / (end - start);
    return { rate, p50: percentile(durations, 0.5), p95: percentile(durations, 0.95) };
  }
}

/** The smallest of sorted values that a share of them does not exceed. */
function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
