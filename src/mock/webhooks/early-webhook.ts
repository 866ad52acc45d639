import { clearTimeout, setTimeout } from '../../timers.ts';

/** The time limit of an attempt that sets none, in ms. */
export const DEFAULT_ATTEMPT_MS = 10_000;

/** A webhook that arrives before its response, which waits until the first attempt has ended. */
export class EarlyWebhook {
  readonly #timeout: number;
  readonly #start: () => void;
  #end = () => {};
  #limit: NodeJS.Timeout | undefined;
  /** Resolves when the response no longer waits for it. */
  readonly ended = new Promise<void>((resolve) => (this.#end = resolve));
  /** Whether only the clock can bring its first attempt. */
  waitsForClock = true;

  /** @param start makes the first attempt, or sets a timer for it */
  constructor(timeout: number, start: () => void) {
    this.#timeout = timeout;
    this.#start = start;
  }

  /** Called when the response is decided. */
  begin(): void {
    // An attempt limits itself, but not the clock and the attempts that it may wait for.
    this.#limit = setTimeout(() => this.end(), this.#timeout).unref();
    this.#start();
  }

  /** Called when the first attempt begins. */
  leaveClock(): void {
    this.waitsForClock = false;
  }

  /** Called when the first attempt is being sent. */
  sending(): void {
    clearTimeout(this.#limit);
  }

  end(): void {
    clearTimeout(this.#limit);
    this.waitsForClock = false;
    this.#end();
  }
}
