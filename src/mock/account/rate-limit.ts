import { MAX_RATE, MAX_RATE_WINDOW_MS } from '../limits.ts';
import type { Remembered } from './remembered.ts';
import type * as Forms from './saved-forms.ts';

/** How many requests an account may make per window. */
export interface MomoRateLimit {
  /** The number of requests with a valid key, 1 to 1,000,000. */
  readonly limit: number;
  /** The window in ms, 1 to 86,400,000 (a day). It starts with the first request that counts. */
  readonly window: number;
}

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const TEXT = /^(\d{1,7})\/(\d{0,8})(ms|[smh])$/;

/** Reads a limit such as `10/s`, `100/1m` or `1000/h`; `undefined` if it is invalid. */
export function readRateLimit(text: string): MomoRateLimit | undefined {
  const [, count, times, unit = 's'] = TEXT.exec(text) ?? [];
  const limit = Number(count);
  const window = Number(times || 1) * UNITS[unit as keyof typeof UNITS];
  const isAllowed = limit >= 1 && limit <= MAX_RATE && window >= 1 && window <= MAX_RATE_WINDOW_MS;
  return isAllowed ? { limit, window } : undefined;
}

export interface Exceeded extends MomoRateLimit {
  /** The time until the next window, in ms. */
  readonly reset: number;
}

interface CountedRequests extends MomoRateLimit {
  /** When the window began, in ms since 1970. */
  readonly began: number;
  count: number;
}

/** An account's rate limit, and its requests in the current window. */
export class RateLimiter implements Remembered {
  readonly event = 'rate-limit';
  readonly #now: () => number;
  /** Overrides the limits of all accounts and of the settings. */
  limit: MomoRateLimit | undefined;
  #counted: CountedRequests | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  set(limit: MomoRateLimit | undefined): void {
    this.limit = limit;
    this.restart();
  }

  restart(): void {
    this.#counted = undefined;
  }

  /** @internal */
  form({ Type, closedObject, count }: typeof Forms) {
    const limit = { limit: count(MAX_RATE, 1), window: count(MAX_RATE_WINDOW_MS, 1) };
    return closedObject({
      limit: Type.Optional(closedObject(limit)),
      // The current window, which began `age` ms ago.
      counted: Type.Optional(closedObject({ ...limit, count: count(), age: Type.Number() })),
    });
  }

  save() {
    const { limit } = this;
    if (this.#counted === undefined) return limit && { limit };
    const { began, ...counted } = this.#counted;
    return { ...(limit && { limit }), counted: { ...counted, age: this.#now() - began } };
  }

  /** @internal */
  load({ limit, counted }: Forms.Saved<RateLimiter>): void {
    this.limit = limit;
    if (counted === undefined) return;
    const { age, ...others } = counted;
    this.#counted = { ...others, began: this.#now() - age };
  }

  /**
   * Counts a request, unless it exceeds the limit. A different limit restarts counting, and so does
   * a clock that was moved back.
   */
  count({ limit, window }: MomoRateLimit): Exceeded | undefined {
    const now = this.#now();
    let counted = this.#counted;
    const age = counted === undefined ? 0 : now - counted.began;
    const isSame = counted?.limit === limit && counted.window === window;
    if (counted === undefined || !isSame || age < 0 || age >= window) {
      counted = { limit, window, began: now, count: 0 };
      this.#counted = counted;
    }
    if (counted.count >= limit) return { limit, window, reset: Math.ceil(window - age) };
    counted.count++;
    return undefined;
  }
}

/**
 * The response headers for a request that exceeds a limit: `retry-after`, and the headers of
 * draft-ietf-httpapi-ratelimit-headers-10, in seconds. Assumed, like the limit itself.
 */
export function rateLimitHeaders({ limit, window, reset }: Exceeded): Record<string, string> {
  const seconds = Math.ceil(reset / 1000);
  return {
    'retry-after': `${seconds}`,
    ratelimit: `"default";r=0;t=${seconds}`,
    'ratelimit-policy': `"default";q=${limit};w=${Math.ceil(window / 1000)}`,
  };
}
