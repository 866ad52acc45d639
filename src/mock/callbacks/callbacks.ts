import { invalid } from '../../errors.ts';
import { monotonicTime } from '../../timers.ts';
import type { Timers } from '../clock/clock.ts';
import { type JournalOptions, RecordJournal } from '../journal/record-journal.ts';
import { MOST_IN_FLIGHT, MOST_QUEUED } from '../limits.ts';
import { Slots } from '../slots.ts';
import type { CallbackFilter } from './callback-filter.ts';
import {
  type CallbackEntry,
  type CallbackReason,
  type CallbackRecord,
  callbackBytes,
  matchesCallback,
  shownCallback,
} from './callback-record.ts';
import type { ScriptedCallback } from './callback-script.ts';
import type { PreparedCallback } from './prepared-callback.ts';

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

/** The parts of the mock that callbacks use. */
export interface CallbackParts extends JournalOptions {
  /** @default refuses each attempt */
  readonly send?: SendCallback | undefined;
  /** Takes what is scripted for the next callback of an account. */
  readonly take: (account: string | undefined) => Promise<ScriptedCallback | undefined>;
}

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
  readonly journal: CallbackJournal;
  readonly #send: SendCallback;
  readonly #take: CallbackParts['take'];
  readonly #slots = new Slots(MOST_IN_FLIGHT);
  readonly #queued = new Set<Queued>();
  #isClosed = false;

  constructor({ send = refuse, take, ...options }: CallbackParts) {
    this.journal = new CallbackJournal(options);
    this.#send = send;
    this.#take = take;
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
   * @param id the id of one of its attempts in the journal
   * @param account the id of the account; without it, of any
   * @returns the entry of the new attempt when it has ended; `undefined` if there is no such attempt
   */
  async sendAgain(id: number, account?: string): Promise<CallbackEntry | undefined> {
    const record = this.journal.get(id, account);
    if (record === undefined || this.#isClosed) return undefined;
    const dropped = new AbortController();
    const { callback, timers, attempt } = record;
    const queued = {
      callback,
      account: record.account,
      timers,
      isLost: false,
      left: 1,
      dropped,
      cancel: () => {},
    };
    this.#queued.add(queued);
    const made = await this.#attempt(queued, attempt + 1);
    this.#queued.delete(queued);
    return made && this.journal.shown(made);
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
    this.journal.close();
  }

  async #queue(callback: PreparedCallback, source: CallbackSource): Promise<void> {
    const dropped = new AbortController();
    const queued: Queued = {
      callback,
      ...source,
      isLost: false,
      left: 1,
      dropped,
      cancel: () => {},
    };
    this.#queued.add(queued);
    const script = await this.#take(source.account ?? undefined);
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
  #attempt(queued: Queued, attempt: number): Promise<CallbackRecord | undefined> {
    const { callback, account, timers, isLost, dropped } = queued;
    const { signal } = dropped;
    const time = timers.now();
    return this.#slots.run(signal, async () => {
      const record = this.journal.open({ time, account, callback, timers, attempt });
      const began = monotonicTime();
      const outcome = isLost ? LOST : await this.#outcome(callback, signal);
      this.journal.ended(record, outcome, monotonicTime() - began);
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

/** The newest attempts of callbacks, in order, up to a limit. */
export class CallbackJournal extends RecordJournal<CallbackRecord, CallbackFilter, CallbackEntry> {
  constructor(options: JournalOptions) {
    const kind = {
      change: 'callbacks',
      bytesOf: callbackBytes,
      costOf: () => 16,
      matches: matchesCallback,
      shown: shownCallback,
    } as const;
    super(kind, options);
  }

  /** Opens the record of an attempt that begins. */
  open(
    began: Pick<CallbackRecord, 'time' | 'account' | 'callback' | 'timers' | 'attempt'>,
  ): CallbackRecord {
    return this.add((id) => ({
      ...began,
      id,
      status: null,
      reason: null,
      durationMs: null,
      bytes: 0,
      position: 0,
    }));
  }

  /** Notes how an attempt has ended. */
  ended(record: CallbackRecord, outcome: CallbackOutcome, durationMs: number): void {
    Object.assign(record, outcome, { durationMs: Math.round(durationMs * 10) / 10 });
    this.changed(record);
  }

  /** The entry for a record, without secrets. */
  shown(record: CallbackRecord): CallbackEntry {
    return shownCallback(record, this.redactor);
  }
}
