import { invalid } from '../../errors.ts';
import { monotonicTime } from '../../timers.ts';
import type { Timers } from '../clock/timer-runner.ts';
import { type AttemptRecord, newAttempt } from '../journal/record.ts';
import { MOST_IN_FLIGHT, MOST_QUEUED } from '../limits.ts';
import type { CallbackReason } from '../reason.ts';
import { Slots } from '../slots.ts';
import type { Store } from '../store/store.ts';
import type { PreparedCallback } from './callback.ts';

/** One attempt, for the function that sends it. */
export interface CallbackAttempt
  extends Pick<PreparedCallback, 'method' | 'headers' | 'body' | 'timeout'> {
  /** Of `http:` or `https:`. */
  readonly url: URL;
  /** Aborted when the attempt must end. */
  readonly signal: AbortSignal;
}

/** How an attempt ended: the status of the response, or the reason for which there is none. */
export type CallbackOutcome = { readonly status: number } | { readonly reason: CallbackReason };

/** Sends an attempt. It never rejects. */
export type SendCallback = (attempt: CallbackAttempt) => Promise<CallbackOutcome>;

/** Where a callback comes from. */
export interface CallbackSource {
  /** The id of the account; `null` for none. */
  readonly account: string | null;
  /** The clock by which it is called, and called again. */
  readonly timers: Timers;
}

/** A callback that has not ended. */
interface Queued extends CallbackSource {
  readonly callback: PreparedCallback;
  isLost: boolean;
  /** How many times it will still be sent, this time included. */
  left: number;
  /** Aborted when it is dropped. */
  readonly dropped: AbortController;
  /** Stops the timer of the next attempt. */
  cancel: () => void;
}

/** Calls the application under test: queues callbacks, and makes their attempts. */
export class Callbacks {
  readonly #store: Store;
  readonly #send: SendCallback;
  readonly #slots = new Slots(MOST_IN_FLIGHT);
  readonly #queued = new Set<Queued>();
  #isClosed = false;

  /** @param send sends an attempt. @default refuses each of them */
  constructor(store: Store, send: SendCallback = refuse) {
    this.#store = store;
    this.#send = send;
  }

  /** The number of callbacks that are queued or in flight. */
  get pending(): number {
    return this.#queued.size;
  }

  /**
   * Takes a callback. Its attempts run by the clock; what the network does is in the journal.
   *
   * @returns a function that queues it
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if too many are queued
   */
  prepare(callback: PreparedCallback, source: CallbackSource): () => Promise<void> {
    if (this.#queued.size >= MOST_QUEUED) {
      throw invalid('the callback', `at most ${MOST_QUEUED} can be queued. Reset the mock`);
    }
    return async () => {
      if (!this.#isClosed) await this.#queue(callback, source);
    };
  }

  /**
   * Makes one more attempt of a callback, immediately.
   *
   * @param record one of its attempts
   * @returns the new attempt when it has ended; `undefined` if it was dropped
   */
  async sendAgain({ callback, account, timers, attempt }: AttemptRecord) {
    if (this.#isClosed) return undefined;
    const queued = this.#add(callback, { account, timers });
    const made = await this.#attempt(queued, attempt + 1);
    this.#queued.delete(queued);
    return made;
  }

  /** Drops what is queued or in flight: of an account, or of all. */
  reset(account?: string): void {
    for (const queued of this.#queued) {
      if (account === undefined || queued.account === account) this.#drop(queued);
    }
  }

  /** Drops everything. Nothing can be queued any more. */
  close(): void {
    this.#isClosed = true;
    this.reset();
  }

  #add(callback: PreparedCallback, source: CallbackSource): Queued {
    const dropped = new AbortController();
    const queued = { callback, ...source, isLost: false, left: 1, dropped, cancel: () => {} };
    this.#queued.add(queued);
    return queued;
  }

  async #queue(callback: PreparedCallback, source: CallbackSource): Promise<void> {
    const queued = this.#add(callback, source);
    const script = await this.#store.takeCallback(source.account ?? undefined);
    const { lose = false, delay = 0, repeat = 1 } = script ?? {};
    queued.isLost = lose;
    queued.left = lose ? 1 : repeat;
    this.#schedule(queued, delay, 1);
  }

  #schedule(queued: Queued, ms: number, attempt: number): void {
    queued.cancel = queued.timers.after(ms, () => this.#run(queued, attempt));
  }

  async #run(queued: Queued, attempt: number): Promise<void> {
    const made = await this.#attempt(queued, attempt);
    if (queued.dropped.signal.aborted) return;
    const { callback, isLost } = queued;
    const isAccepted = isLost || (made?.status != null && callback.accepts(made.status));
    const wait = isAccepted ? undefined : callback.retry[attempt - 1];
    if (wait !== undefined) this.#schedule(queued, wait, attempt + 1);
    else if (--queued.left > 0) this.#schedule(queued, 0, 1);
    else this.#queued.delete(queued);
  }

  /** Makes an attempt as soon as there are few enough others. */
  #attempt(queued: Queued, attempt: number): Promise<AttemptRecord | undefined> {
    const { callback, account, timers, isLost, dropped } = queued;
    const { signal } = dropped;
    const time = timers.now();
    return this.#slots.run(signal, async () => {
      const record = newAttempt(callback, { time, account, timers, attempt });
      this.#store.begin(record);
      const began = monotonicTime();
      Object.assign(record, isLost ? LOST : await this.#outcome(callback, signal));
      record.durationMs = Math.round((monotonicTime() - began) * 10) / 10;
      this.#store.end(record);
      return record;
    });
  }

  async #outcome(callback: PreparedCallback, signal: AbortSignal): Promise<CallbackOutcome> {
    const url = URL.canParse(callback.url) ? new URL(callback.url) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return { reason: 'bad-url' };
    return await this.#send({ ...callback, url, signal });
  }

  #drop(queued: Queued): void {
    queued.cancel();
    queued.dropped.abort();
    this.#queued.delete(queued);
  }
}

const LOST: CallbackOutcome = { reason: 'lost' };

async function refuse(): Promise<CallbackOutcome> {
  return { reason: 'host-not-allowed' };
}
