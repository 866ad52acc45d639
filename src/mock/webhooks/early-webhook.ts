import { clearTimeout, setTimeout } from '../../timers.ts';

/** The time limit of an attempt that sets none, in ms. */
export const DEFAULT_ATTEMPT_MS = 10_000;

interface EarlyOptions {
  /** The time limit of its first attempt, in ms. */
  readonly timeout: number;
  /** How long its response waits for the attempt once it is sent, in ms. `true`: until it has ended. */
  readonly before: number | true;
  /** Makes the first attempt, or sets a timer for it. */
  readonly start: (webhook: EarlyWebhook) => void;
}

/** A webhook that arrives before its response, which waits for the first attempt. */
export class EarlyWebhook {
  readonly #options: EarlyOptions;
  readonly #maxWait: number;
  #end = () => {};
  #limit: NodeJS.Timeout | undefined;
  /** Resolves when the response no longer waits for it. */
  readonly ended = new Promise<void>((resolve) => (this.#end = resolve));
  /** Whether only the clock can bring its first attempt. */
  waitsForClock = true;

  constructor(options: EarlyOptions) {
    this.#options = options;
    this.#maxWait = options.before === true ? Infinity : options.before;
  }

  /** Whether the response waits until the attempt has ended, however long that takes. */
  get isAwaited(): boolean {
    return this.#maxWait >= this.#options.timeout;
  }

  /** Called when the response is decided. */
  begin(): void {
    // An attempt limits itself, but not the clock and the attempts that it may wait for.
    this.#endAfter(this.#options.timeout);
    this.#options.start(this);
  }

  /** Called when the first attempt begins. */
  leaveClock(): void {
    this.waitsForClock = false;
  }

  /** Called when the first attempt is being sent. */
  sending(): void {
    clearTimeout(this.#limit);
    if (!this.isAwaited) this.#endAfter(this.#maxWait);
  }

  end(): void {
    clearTimeout(this.#limit);
    this.waitsForClock = false;
    this.#end();
  }

  #endAfter(ms: number): void {
    this.#limit = setTimeout(() => this.end(), ms).unref();
  }
}
