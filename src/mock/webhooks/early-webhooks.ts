import { clearTimeout, setTimeout, sleep } from '../../timers.ts';
import type { Clock } from '../clock/clock.ts';
import { DEFAULT_ATTEMPT_MS } from '../limits.ts';
import type { PreparedWebhook } from './webhook.ts';
import type { ScriptedWebhook } from './webhook-script.ts';

interface EarlyOptions {
  readonly clock: Pick<Clock, 'hasTimerOf' | 'advanceFor'>;
  /** The webhook scripts of the account and of all accounts. */
  readonly scripts: readonly { readonly value: readonly ScriptedWebhook[] | undefined }[];
}

/** The webhooks that arrive before a response, which waits for their first attempts. */
export class EarlyWebhooks {
  readonly #options: EarlyOptions;
  readonly #webhooks: EarlyWebhook[] = [];
  #decide = () => {};
  /** Resolves when the response is decided, or the client has left. */
  readonly decided = new Promise<void>((resolve) => (this.#decide = resolve));
  #leave = () => {};
  /** Resolves when the response has left, or will never be sent completely. */
  readonly left = new Promise<void>((resolve) => (this.#leave = resolve));
  /** Whether a webhook can still arrive before the response. */
  isOpen = true;

  constructor(options: EarlyOptions) {
    this.#options = options;
  }

  /** Called when its first attempt begins, or when a timer is set for it. */
  begin(webhook: PreparedWebhook): EarlyWebhook {
    const early = new EarlyWebhook(webhook);
    this.#webhooks.push(early);
    return early;
  }

  /**
   * Sends the webhooks when the response is decided, and waits for their first attempts. A timer of
   * the handler may send more of them, to which it moves the clock.
   *
   * @returns whether to send the response: `false` if the client has left
   */
  async precede(): Promise<boolean> {
    this.#decide();
    // Those that are queued begin first.
    await this.decided;
    if (this.#webhooks.length > 0 || this.#isExpected) await this.#attempted();
    const { isOpen } = this;
    this.isOpen = false;
    return isOpen;
  }

  /** Called when the response has left, or will never be sent completely. */
  leave(): void {
    this.isOpen = false;
    this.#decide();
    this.#leave();
  }

  async #attempted(): Promise<void> {
    const { clock } = this.#options;
    const endOf = ({ ended }: EarlyWebhook) => ended;
    let isLate = false;
    const late = sleep(DEFAULT_ATTEMPT_MS, undefined, { ref: false }).then(() => (isLate = true));
    const moved = clock.advanceFor(this, async () => {
      await Promise.all(this.#webhooks.filter(({ waitsForClock }) => !waitsForClock).map(endOf));
      if (!this.isOpen) return false;
      return (
        this.#webhooks.some(({ waitsForClock }) => waitsForClock) || (!isLate && this.#isExpected)
      );
    });
    await Promise.race([moved, late, this.left]);
    // More time than this only for a webhook that allows it.
    await Promise.race([Promise.all(this.#webhooks.map(endOf)), this.left]);
  }

  /** Whether a timer of the handler may send a webhook for which a test has scripted that it is early. */
  get #isExpected(): boolean {
    const { clock, scripts } = this.#options;
    const isScripted = scripts.some(({ value }) => value?.some(({ before }) => before));
    return isScripted && clock.hasTimerOf(this);
  }
}

export class EarlyWebhook {
  /** How long the response waits for the attempt once it is sent, in ms. */
  readonly #maxWait: number;
  /** Whether the response waits until the attempt has ended, however long that takes. */
  readonly isAwaited: boolean;
  #limit: NodeJS.Timeout;
  #end = () => {};
  /** Resolves when the response no longer waits for it. */
  readonly ended = new Promise<void>((resolve) => (this.#end = resolve));
  /** Whether only the clock can bring its first attempt. */
  waitsForClock = true;

  constructor({ before, timeout }: PreparedWebhook) {
    this.#maxWait = typeof before === 'number' ? before : timeout;
    this.isAwaited = this.#maxWait >= timeout;
    // An attempt limits itself, but not the clock and the attempts that it may wait for.
    this.#limit = this.#endAfter(timeout);
  }

  /** Called when the first attempt is being sent. */
  sending(): void {
    clearTimeout(this.#limit);
    if (!this.isAwaited) this.#limit = this.#endAfter(this.#maxWait);
  }

  end(): void {
    clearTimeout(this.#limit);
    this.waitsForClock = false;
    this.#end();
  }

  #endAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.end(), ms).unref();
  }
}
