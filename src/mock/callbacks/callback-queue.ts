import { randomUUID } from 'node:crypto';
import { invalid } from '../../errors.ts';
import { monotonicTime } from '../../timers.ts';
import type { Remembered, Restoring } from '../account/remembered.ts';
import type { Clock } from '../clock/clock.ts';
import type { CallbackEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { AttemptRecord } from '../journal/record.ts';
import { MAX_QUEUED, MAX_QUEUED_BYTES, MAX_TIME } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { CallbackReason } from '../requests/reason.ts';
import type { OutgoingCallback, PreparedCallback } from './callback.ts';
import type { ScriptedCallback } from './callback-script.ts';
import { signedParts } from './forgery.ts';
import type { Semaphore } from './semaphore.ts';
import { rememberSecrets } from './signing.ts';

export interface CallbackAttempt
  extends Pick<PreparedCallback, 'url' | 'method' | 'headers' | 'body' | 'timeout'> {
  readonly signal: AbortSignal;
}

export type CallbackOutcome = { readonly status: number } | { readonly reason: CallbackReason };

/** Never rejects. */
export type SendCallback = (attempt: CallbackAttempt) => Promise<CallbackOutcome>;

/** What sends the callbacks of all accounts. */
export interface CallbackSender {
  readonly send: SendCallback;
  readonly journal: Journal<CallbackEntry>;
  readonly redactor: Redactor;
  readonly inFlight: Semaphore;
  /** How many callbacks of all accounts are queued or in flight. */
  pending: number;
  pendingBytes: number;
}

interface Queued {
  callback: OutgoingCallback;
  isLost: boolean;
  /** How many more times to send it, including this time. */
  left: number;
  /** The number of its next attempt, or of the one in flight; 0 before its response has left. */
  attempt: number;
  /** When the next attempt is due. */
  due: number;
  readonly dropped: AbortController;
  /** Cancels the timer of the next attempt. */
  cancel: () => void;
}

interface QueueOptions {
  readonly sender: CallbackSender;
  /** It is `null` for all accounts. */
  readonly account: string | null;
  readonly clock: Clock;
  readonly takeScript: () => ScriptedCallback | undefined;
}

interface SavedCallback extends Pick<Queued, 'isLost' | 'left' | 'attempt'> {
  /** As JSON, with its body as text. */
  readonly callback: string;
  /** The time until its next attempt. */
  readonly wait: number;
}

/** The callbacks of an account that have not ended. */
export class CallbackQueue implements Remembered {
  readonly #options: QueueOptions;
  readonly #sender: CallbackSender;
  readonly #clock: Clock;
  readonly #queued = new Set<Queued>();
  #isClosed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#sender = options.sender;
    this.#clock = options.clock;
  }

  /** After `ready` has settled. @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if full */
  queue(callback: PreparedCallback, ready: Promise<unknown>): void {
    if (this.#isClosed) return;
    this.#begin(this.#add(callback), ready);
  }

  /**
   * Makes the first attempt now. Retries follow the clock.
   *
   * @returns the attempt after it has ended; `undefined` if it was dropped
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if full
   */
  async send(callback: PreparedCallback): Promise<CallbackEntry | undefined> {
    if (this.#isClosed) return undefined;
    const queued = this.#add(callback);
    this.#script(queued);
    return (await this.#run(queued, 1))?.entry(this.#sender.redactor);
  }

  /** Makes another attempt, immediately. It returns the same as {@link send}. */
  async sendAgain({ callback, attempt }: AttemptRecord): Promise<CallbackEntry | undefined> {
    if (this.#isClosed) return undefined;
    const queued = this.#add(callback);
    const record = await this.#attempt(queued, attempt + 1);
    this.#remove(queued);
    return record?.entry(this.#sender.redactor);
  }

  reset(): void {
    for (const queued of this.#queued) {
      this.#stop(queued);
      this.#remove(queued);
    }
  }

  save(): SavedCallback[] | undefined {
    if (this.#queued.size === 0) return undefined;
    const now = this.#clock.now();
    return Array.from(this.#queued, ({ callback, isLost, left, attempt, due }) => ({
      callback: JSON.stringify({ ...callback, body: callback.body.toString() }),
      isLost,
      left,
      attempt,
      wait: Math.max(0, due - now),
    }));
  }

  load(saved: readonly SavedCallback[], { part }: Restoring): void {
    for (const [index, { callback: json, isLost, left, attempt, wait }] of saved.entries()) {
      part(`[${index}]`, () => {
        const callback = JSON.parse(json);
        const queued = this.#add({ ...callback, body: Buffer.from(callback.body) });
        Object.assign(queued, { isLost, left });
        if (attempt === 0) this.#begin(queued, Promise.resolve());
        else this.#schedule(queued, wait, attempt);
      });
    }
  }

  /** Stops sending. A snapshot can still save what is queued. */
  close(): void {
    this.#isClosed = true;
    for (const queued of this.#queued) this.#stop(queued);
  }

  #begin(queued: Queued, ready: Promise<unknown>): void {
    // A timer, so that an `advance` right after the response waits for it.
    queued.cancel = this.#clock.after(0, async () => {
      await ready;
      if (queued.dropped.signal.aborted) return;
      const delay = this.#script(queued);
      this.#schedule(queued, queued.callback.delay + delay, 1);
    });
  }

  /** A callback that was sent before keeps its id. */
  #add(callback: PreparedCallback | OutgoingCallback): Queued {
    if (this.#sender.pending >= MAX_QUEUED) {
      throw invalid('the callback', `at most ${MAX_QUEUED} can be queued. Reset the mock`);
    }
    if (this.#sender.pendingBytes + callback.body.length > MAX_QUEUED_BYTES) {
      const most = MAX_QUEUED_BYTES / 1_048_576;
      throw invalid('the callback', `at most ${most} MiB of bodies can be queued. Reset the mock`);
    }
    rememberSecrets([callback], this.#sender.redactor);
    const queued: Queued = {
      callback: { id: randomUUID(), ...callback },
      isLost: false,
      left: 1,
      attempt: 0,
      due: this.#clock.now(),
      dropped: new AbortController(),
      cancel: () => {},
    };
    this.#queued.add(queued);
    this.#sender.pending++;
    this.#sender.pendingBytes += callback.body.length;
    return queued;
  }

  #remove(queued: Queued): void {
    if (!this.#queued.delete(queued)) return;
    this.#sender.pending--;
    this.#sender.pendingBytes -= queued.callback.body.length;
  }

  /** Returns the scripted delay. */
  #script(queued: Queued): number {
    const { lose = false, delay = 0, repeat = 1, forge } = this.#options.takeScript() ?? {};
    queued.callback = { ...queued.callback, forge };
    queued.isLost = lose;
    queued.left = lose ? 1 : repeat;
    return delay;
  }

  #schedule(queued: Queued, delay: number, attempt: number): void {
    const now = this.#clock.now();
    // A clock that ends would leave it pending.
    const ms = Math.min(delay, MAX_TIME - now);
    Object.assign(queued, { attempt, due: now + ms });
    queued.cancel = this.#clock.after(ms, () => this.#run(queued, attempt));
  }

  async #run(queued: Queued, attempt: number): Promise<AttemptRecord | undefined> {
    const record = await this.#attempt(queued, attempt);
    if (queued.dropped.signal.aborted) return record;
    const { callback, isLost } = queued;
    if (record?.reason === 'not-forged' || record?.reason === 'not-signed') {
      this.#remove(queued);
      return record;
    }
    const isAccepted = isLost || (record?.status != null && accepts(callback, record.status));
    const wait = isAccepted ? undefined : callback.retry[attempt - 1];
    if (wait !== undefined) this.#schedule(queued, wait, attempt + 1);
    else if (--queued.left > 0) this.#schedule(queued, 0, 1);
    else this.#remove(queued);
    return record;
  }

  #attempt(queued: Queued, attempt: number): Promise<AttemptRecord | undefined> {
    Object.assign(queued, { attempt, due: this.#clock.now() });
    const { callback, isLost, dropped } = queued;
    const { signal } = dropped;
    const { inFlight, journal, send } = this.#sender;
    const begun = { time: this.#clock.now(), account: this.#options.account, queue: this, attempt };
    return inFlight.run(signal, async () => {
      const sent = signedParts(callback);
      const isSigned = typeof sent !== 'string';
      const record = new AttemptRecord(callback, begun, isSigned ? sent : undefined);
      journal.add(record);
      const began = monotonicTime();
      if (!isSigned) record.reason = sent;
      else if (isLost) record.reason = 'lost';
      else Object.assign(record, await send({ ...callback, ...sent, signal }));
      record.durationMs = Math.round((monotonicTime() - began) * 10) / 10;
      journal.end(record);
      return record;
    });
  }

  #stop(queued: Queued): void {
    queued.cancel();
    queued.dropped.abort();
  }
}

function accepts({ accept }: PreparedCallback, status: number): boolean {
  return accept?.includes(status) ?? (status >= 200 && status < 300);
}
