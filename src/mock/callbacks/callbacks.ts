import { randomUUID } from 'node:crypto';
import { invalid } from '../../errors.ts';
import { monotonicTime } from '../../timers.ts';
import type { Timers } from '../clock/timer-queue.ts';
import type { CallbackEntry } from '../journal/entry.ts';
import { AttemptRecord } from '../journal/record.ts';
import { MAX_IN_FLIGHT, MAX_QUEUED, MAX_QUEUED_BYTES, MAX_TIME } from '../limits.ts';
import type { CallbackReason } from '../reason.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { Semaphore } from '../semaphore.ts';
import type { ScopeId, Store } from '../store/store.ts';
import type { OutgoingCallback, PreparedCallback } from './callback.ts';
import { signedParts } from './forgery.ts';
import { rememberSecrets } from './signing.ts';

export interface CallbackAttempt
  extends Pick<PreparedCallback, 'method' | 'headers' | 'body' | 'timeout'> {
  /** `http:` or `https:`. */
  readonly url: URL;
  /** Aborted when the attempt must end. */
  readonly signal: AbortSignal;
}

/** The status of the response, or the reason if there is none. */
export type CallbackOutcome = { readonly status: number } | { readonly reason: CallbackReason };

/** Never rejects. */
export type SendCallback = (attempt: CallbackAttempt) => Promise<CallbackOutcome>;

interface CallbackParts {
  readonly store: Store;
  readonly redactor: Redactor;
  readonly timersOf: (id: ScopeId) => Timers;
  readonly send: SendCallback;
}

interface CallbackSource {
  /** `null` for the service. */
  readonly account: string | null;
  /** The clock for its delay and retries. */
  readonly timers: Timers;
}

interface Queued extends CallbackSource {
  callback: OutgoingCallback;
  isLost: boolean;
  /** How many more times to send it, including this time. */
  left: number;
  readonly dropped: AbortController;
  /** Cancels the timer of the next attempt. */
  cancel: () => void;
}

export class Callbacks {
  readonly #parts: CallbackParts;
  readonly #inFlight = new Semaphore(MAX_IN_FLIGHT);
  readonly #queued = new Set<Queued>();
  /** The length of the bodies of queued callbacks. */
  #queuedBytes = 0;
  #isClosed = false;

  constructor(parts: CallbackParts) {
    this.#parts = parts;
  }

  get pending(): number {
    return this.#queued.size;
  }

  /**
   * Sends a callback after `ready` has settled, for example after the response. Its attempts follow
   * the clock. Network errors are in the journal.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if too many are queued
   */
  queue(callback: PreparedCallback, scope: ScopeId, ready: Promise<unknown>): void {
    if (this.#isClosed) return;
    const queued = this.#add(callback, this.#sourceOf(scope));
    // A timer, so that an `advance` right after the response waits for it.
    queued.timers.after(0, async () => {
      await ready;
      const delay = await this.#takeScript(queued);
      if (!queued.dropped.signal.aborted) this.#schedule(queued, callback.delay + delay, 1);
    });
  }

  /**
   * Makes the first attempt of a callback now. Retries follow the clock.
   *
   * @returns the attempt after it has ended; `undefined` if it was dropped
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if too many are queued
   */
  async send(callback: PreparedCallback, scope: ScopeId): Promise<CallbackEntry | undefined> {
    if (this.#isClosed) return undefined;
    const queued = this.#add(callback, this.#sourceOf(scope));
    await this.#takeScript(queued);
    const record = await this.#run(queued, 1);
    // A shared store assigns the id only then.
    await this.#parts.store.synced();
    return record?.entry(this.#parts.redactor);
  }

  /**
   * Makes another attempt of a callback, immediately.
   *
   * @param record one of its attempts
   * @returns the new attempt after it has ended; `undefined` if it was dropped
   */
  async sendAgain({
    callback,
    account,
    timers,
    attempt,
  }: AttemptRecord): Promise<AttemptRecord | undefined> {
    if (this.#isClosed) return undefined;
    const queued = this.#add(callback, { account, timers });
    const record = await this.#attempt(queued, attempt + 1);
    this.#forget(queued);
    return record;
  }

  /** Drops queued and in-flight callbacks, of one account or of all. */
  reset(account?: string): void {
    for (const queued of this.#queued) {
      if (account === undefined || queued.account === account) this.#drop(queued);
    }
  }

  /** Drops everything, and queues nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.reset();
  }

  #sourceOf(scope: ScopeId): CallbackSource {
    return { account: scope ?? null, timers: this.#parts.timersOf(scope) };
  }

  /** Adds a callback. A callback that was sent before keeps its id. */
  #add(callback: PreparedCallback | OutgoingCallback, source: CallbackSource): Queued {
    if (this.#queued.size >= MAX_QUEUED) {
      throw invalid('the callback', `at most ${MAX_QUEUED} can be queued. Reset the mock`);
    }
    if (this.#queuedBytes + callback.body.length > MAX_QUEUED_BYTES) {
      const most = MAX_QUEUED_BYTES / 1_048_576;
      throw invalid('the callback', `at most ${most} MiB of bodies can be queued. Reset the mock`);
    }
    rememberSecrets([callback], this.#parts.redactor);
    const queued: Queued = {
      ...source,
      callback: { id: randomUUID(), ...callback },
      isLost: false,
      left: 1,
      dropped: new AbortController(),
      cancel: () => {},
    };
    this.#queued.add(queued);
    this.#queuedBytes += callback.body.length;
    return queued;
  }

  /** Applies a test's script to a callback. Returns the scripted delay in ms. */
  async #takeScript(queued: Queued): Promise<number> {
    const { account } = queued;
    const script = await this.#parts.store.takeCallback(account ?? undefined).catch((error) => {
      this.#forget(queued);
      throw error;
    });
    const { lose = false, delay = 0, repeat = 1, forge } = script ?? {};
    queued.callback = { ...queued.callback, forge };
    queued.isLost = lose;
    queued.left = lose ? 1 : repeat;
    return delay;
  }

  #schedule(queued: Queued, delay: number, attempt: number): void {
    const { timers } = queued;
    // A clock that ends would leave it pending.
    const ms = Math.min(delay, MAX_TIME - timers.now());
    queued.cancel = timers.after(ms, () => this.#run(queued, attempt));
  }

  async #run(queued: Queued, attempt: number): Promise<AttemptRecord | undefined> {
    const record = await this.#attempt(queued, attempt);
    if (queued.dropped.signal.aborted) return record;
    const { callback, isLost } = queued;
    if (record?.reason === 'not-forged' || record?.reason === 'not-signed') {
      this.#forget(queued);
      return record;
    }
    const isAccepted = isLost || (record?.status != null && callback.accepts(record.status));
    const wait = isAccepted ? undefined : callback.retry[attempt - 1];
    if (wait !== undefined) this.#schedule(queued, wait, attempt + 1);
    else if (--queued.left > 0) this.#schedule(queued, 0, 1);
    else this.#forget(queued);
    return record;
  }

  /** Makes an attempt once few enough others are in flight. */
  #attempt(queued: Queued, attempt: number): Promise<AttemptRecord | undefined> {
    const { callback, account, timers, isLost, dropped } = queued;
    const { signal } = dropped;
    const time = timers.now();
    return this.#inFlight.run(signal, async () => {
      const sent = signedParts(callback);
      const isBuilt = typeof sent !== 'string';
      const record = new AttemptRecord(
        callback,
        { time, account, timers, attempt },
        isBuilt ? sent : undefined,
      );
      this.#parts.store.begin(record);
      const began = monotonicTime();
      if (!isBuilt) record.reason = sent;
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
    return await this.#parts.send({ ...callback, url, signal });
  }

  #drop(queued: Queued): void {
    queued.cancel();
    queued.dropped.abort();
    this.#forget(queued);
  }

  #forget(queued: Queued): void {
    if (this.#queued.delete(queued)) this.#queuedBytes -= queued.callback.body.length;
  }
}
