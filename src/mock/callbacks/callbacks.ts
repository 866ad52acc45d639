import { randomUUID } from 'node:crypto';
import { invalid } from '../../errors.ts';
import { monotonicTime } from '../../timers.ts';
import type { Timers } from '../clock/timer-queue.ts';
import { type CallbackEntry, shown } from '../journal/entry.ts';
import { type AttemptRecord, newAttempt } from '../journal/record.ts';
import { MOST_IN_FLIGHT, MOST_QUEUED } from '../limits.ts';
import type { CallbackReason } from '../reason.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { Slots } from '../slots.ts';
import type { ScopeId, Store } from '../store/store.ts';
import type { OutgoingCallback, PreparedCallback } from './callback.ts';
import { partsOf } from './forgery.ts';
import { rememberSecrets } from './signing.ts';

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

/** What callbacks need of a mock. */
interface CallbackParts {
  readonly store: Store;
  readonly redactor: Redactor;
  /** Returns the clock of an account, or of the whole service. */
  readonly timersOf: (id: ScopeId) => Timers;
  /** Sends an attempt. @default refuses each of them */
  readonly send?: SendCallback | undefined;
}

/** Where a callback comes from. */
interface CallbackSource {
  /** The id of the account; `null` for none. */
  readonly account: string | null;
  /** The clock by which it is called, and called again. */
  readonly timers: Timers;
}

/** A callback that has not ended. */
interface Queued extends CallbackSource {
  callback: OutgoingCallback;
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
  readonly #parts: CallbackParts;
  readonly #send: SendCallback;
  readonly #slots = new Slots(MOST_IN_FLIGHT);
  readonly #queued = new Set<Queued>();
  #isClosed = false;

  constructor(parts: CallbackParts) {
    this.#parts = parts;
    this.#send = parts.send ?? refuse;
  }

  /** The number of callbacks that are queued or in flight. */
  get pending(): number {
    return this.#queued.size;
  }

  /**
   * Sends a callback after something, such as the end of a response. Its attempts run by the clock;
   * what the network does is in the journal.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if too many are queued
   */
  queue(callback: PreparedCallback, scope: ScopeId, ready: Promise<unknown>): void {
    if (this.#isClosed) return;
    const queued = this.#add(callback, this.#sourceOf(scope));
    // By the clock, so that an `advance` right after the response waits for it.
    queued.timers.after(0, async () => {
      await ready;
      const delay = await this.#takeScript(queued);
      if (!queued.dropped.signal.aborted) this.#schedule(queued, callback.delay + delay, 1);
    });
  }

  /**
   * Makes the first attempt of a callback now. Further ones run by the clock.
   *
   * @returns that attempt when it has ended; `undefined` if it was dropped
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if too many are queued
   */
  async send(callback: PreparedCallback, scope: ScopeId): Promise<CallbackEntry | undefined> {
    if (this.#isClosed) return undefined;
    const queued = this.#add(callback, this.#sourceOf(scope));
    await this.#takeScript(queued);
    return await this.#shown(await this.#run(queued, 1));
  }

  /**
   * Makes one more attempt of a callback, immediately.
   *
   * @param record one of its attempts
   * @returns the new attempt when it has ended; `undefined` if it was dropped
   */
  async sendAgain({
    callback,
    account,
    timers,
    attempt,
  }: AttemptRecord): Promise<AttemptRecord | undefined> {
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

  #sourceOf(scope: ScopeId): CallbackSource {
    return { account: scope ?? null, timers: this.#parts.timersOf(scope) };
  }

  /** The entry of an attempt, with the id that the store gives it. */
  async #shown(made: AttemptRecord | undefined): Promise<CallbackEntry | undefined> {
    await this.#parts.store.synced();
    return made && (shown(made, this.#parts.redactor) as CallbackEntry);
  }

  /** Adds a callback, or one that was sent before and keeps its id. */
  #add(callback: PreparedCallback | OutgoingCallback, source: CallbackSource): Queued {
    if (this.#queued.size >= MOST_QUEUED) {
      throw invalid('the callback', `at most ${MOST_QUEUED} can be queued. Reset the mock`);
    }
    rememberSecrets({ callbacks: [callback] }, this.#parts.redactor);
    const dropped = new AbortController();
    const own = { callback: { id: randomUUID(), ...callback }, isLost: false, left: 1, dropped };
    const queued = { ...source, ...own, cancel: () => {} };
    this.#queued.add(queued);
    return queued;
  }

  /** Takes what a test has scripted for a callback. Returns how long it is delayed, in ms. */
  async #takeScript(queued: Queued): Promise<number> {
    const { account } = queued;
    const script = await this.#parts.store.takeCallback(account ?? undefined).catch((error) => {
      this.#queued.delete(queued);
      throw error;
    });
    const { lose = false, delay = 0, repeat = 1, forge } = script ?? {};
    queued.callback = { ...queued.callback, forge };
    queued.isLost = lose;
    queued.left = lose ? 1 : repeat;
    return delay;
  }

  #schedule(queued: Queued, ms: number, attempt: number): void {
    queued.cancel = queued.timers.after(ms, () => this.#run(queued, attempt));
  }

  async #run(queued: Queued, attempt: number): Promise<AttemptRecord | undefined> {
    const made = await this.#attempt(queued, attempt);
    if (queued.dropped.signal.aborted) return made;
    const { callback, isLost } = queued;
    if (made?.reason === NOT_FORGED) {
      this.#queued.delete(queued);
      return made;
    }
    const isAccepted = isLost || (made?.status != null && callback.accepts(made.status));
    const wait = isAccepted ? undefined : callback.retry[attempt - 1];
    if (wait !== undefined) this.#schedule(queued, wait, attempt + 1);
    else if (--queued.left > 0) this.#schedule(queued, 0, 1);
    else this.#queued.delete(queued);
    return made;
  }

  /** Makes an attempt as soon as there are few enough others. */
  #attempt(queued: Queued, attempt: number): Promise<AttemptRecord | undefined> {
    const { callback, account, timers, isLost, dropped } = queued;
    const { signal } = dropped;
    const time = timers.now();
    return this.#slots.run(signal, async () => {
      const sent = partsOf(callback);
      const record = newAttempt(callback, { time, account, timers, attempt }, sent);
      this.#parts.store.begin(record);
      const began = monotonicTime();
      if (sent === undefined) record.reason = NOT_FORGED;
      else if (isLost) record.reason = 'lost';
      else Object.assign(record, await this.#outcome({ ...callback, ...sent }, signal));
      record.durationMs = Math.round((monotonicTime() - began) * 10) / 10;
      this.#parts.store.end(record);
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

const NOT_FORGED = 'not-forged';

async function refuse(): Promise<CallbackOutcome> {
  return { reason: 'host-not-allowed' };
}
