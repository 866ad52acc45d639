import { randomUUID } from 'node:crypto';
import { invalid } from '../../errors.ts';
import { monotonicTime } from '../../timers.ts';
import type { Remembered, Restoring } from '../account/remembered.ts';
import type * as Forms from '../account/saved-forms.ts';
import type { Clock } from '../clock/clock.ts';
import type { WebhookEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { AttemptRecord } from '../journal/record.ts';
import { MAX_QUEUED, MAX_QUEUED_BYTES, MAX_REPEATS, MAX_TIME } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { WebhookReason } from '../requests/reason.ts';
import type { EarlyWebhook, EarlyWebhooks } from './early-webhooks.ts';
import { signedParts } from './forgery.ts';
import { givenWebhook } from './given-webhook.ts';
import type { Semaphore } from './semaphore.ts';
import { FORGERIES, rememberSecrets } from './signing.ts';
import type { OutgoingWebhook, PreparedWebhook, WebhookResponse } from './webhook.ts';
import type { ScriptedWebhook } from './webhook-script.ts';

export interface WebhookAttempt
  extends Pick<PreparedWebhook, 'url' | 'method' | 'headers' | 'body' | 'timeout'> {
  readonly signal: AbortSignal;
}

/** The `body` is the beginning of the response, at most `MAX_RESPONSE_BYTES`. */
export type WebhookOutcome =
  | { readonly status: number; readonly body: Buffer }
  | { readonly reason: WebhookReason };

/** It never rejects. */
export type SendWebhook = (attempt: WebhookAttempt) => Promise<WebhookOutcome>;

/** What sends the webhooks of all accounts. */
export interface WebhookSender {
  readonly send: SendWebhook;
  readonly journal: Journal<WebhookEntry>;
  readonly redactor: Redactor;
  readonly inFlight: Semaphore;
  /** Called after an attempt that did not get through. */
  readonly onFailed: (attempt: AttemptRecord) => void;
  /** How many webhooks of all accounts are queued or in flight. */
  pending: number;
  pendingBytes: number;
}

interface Queued {
  webhook: OutgoingWebhook;
  isScripted: boolean;
  isLost: boolean;
  /** How many more times to send it, including this time. */
  left: number;
  /** The number of its next attempt, or of the one in flight; 0 before its response has left. */
  attempt: number;
  due: number;
  /** It is set until its first attempt begins. */
  early?: EarlyWebhook | undefined;
  /** The response to its last attempt. */
  response?: Buffer | undefined;
  readonly dropped: AbortController;
  /** Cancels the timer of the next attempt. */
  cancel: () => void;
}

interface QueueOptions {
  readonly sender: WebhookSender;
  /** It is `null` for all accounts. */
  readonly account: string | null;
  readonly clock: Clock;
  readonly remember: (secret: string) => void;
  /** @param isEarly whether the webhook can still arrive before its response */
  readonly takeScript: (webhook: PreparedWebhook, isEarly: boolean) => ScriptedWebhook | undefined;
}

/** The webhooks of an account that have not ended. */
export class WebhookQueue implements Remembered {
  readonly #options: QueueOptions;
  readonly #sender: WebhookSender;
  readonly #clock: Clock;
  readonly #queued = new Set<Queued>();
  #isClosed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#sender = options.sender;
    this.#clock = options.clock;
  }

  /** Sends a webhook before its response, or when that has left. */
  queue(webhook: PreparedWebhook, response: EarlyWebhooks): void {
    if (this.#isClosed) return;
    const queued = this.#add(webhook);
    this.#takeScript(queued, response.isOpen);
    if (!response.isOpen || !queued.webhook.before) this.#begin(queued, response.left);
    else void response.decided.then(() => this.#beginEarly(queued, response));
  }

  /**
   * Makes the first attempt now. Retries follow the clock.
   *
   * @returns the attempt after it has ended; `undefined` if it was dropped
   */
  async send(webhook: PreparedWebhook): Promise<WebhookEntry | undefined> {
    if (this.#isClosed) return undefined;
    const queued = this.#add(webhook);
    this.#takeScript(queued, false);
    return (await this.#run(queued, 1))?.entry(this.#sender.redactor);
  }

  /** The same as {@link send}, for a handler that reads the response of the application. */
  async ask(webhook: PreparedWebhook): Promise<WebhookResponse> {
    if (this.#isClosed) return { status: null, reason: 'cancelled', body: '' };
    const queued = this.#add(webhook);
    this.#takeScript(queued, false);
    const record = await this.#run(queued, 1);
    const { status = null, reason = 'cancelled' } = record ?? {};
    return { status, reason, body: queued.response?.toString() ?? '' };
  }

  /** Makes another attempt, immediately. It returns the same as {@link send}. */
  async sendAgain({ webhook, attempt }: AttemptRecord): Promise<WebhookEntry | undefined> {
    if (this.#isClosed) return undefined;
    const queued = this.#add(webhook);
    const record = await this.#attempt(queued, attempt + 1);
    this.#remove(queued);
    return record?.entry(this.#sender.redactor);
  }

  /** @internal */
  form({ Type, closedObject, count, jsonText, WEBHOOK }: typeof Forms) {
    const queued = closedObject({
      id: Type.String({ pattern: '^[\\da-f-]{36}$' }),
      webhook: jsonText('a webhook', WEBHOOK),
      forge: Type.Optional(Type.Enum([...FORGERIES])),
      isScripted: Type.Boolean(),
      isLost: Type.Boolean(),
      left: count(MAX_REPEATS, 1),
      attempt: count(),
      // The time until its next attempt.
      wait: Type.Number({ minimum: 0, maximum: MAX_TIME }),
    });
    return Type.Array(queued, { maxItems: MAX_QUEUED });
  }

  save() {
    if (this.#queued.size === 0) return undefined;
    const now = this.#clock.now();
    return Array.from(this.#queued, ({ webhook, isScripted, isLost, left, attempt, due }) => ({
      id: webhook.id,
      webhook: JSON.stringify(givenWebhook(webhook)),
      forge: webhook.forge,
      isScripted,
      isLost,
      left,
      attempt,
      wait: attempt === 0 ? webhook.delay : Math.max(0, due - now),
    }));
  }

  /** @internal */
  load(saved: Forms.Saved<WebhookQueue>, { prepareWebhook }: Restoring): void {
    const now = this.#clock.now();
    for (const { id, webhook: json, forge, wait, ...others } of saved) {
      const webhook = { ...prepareWebhook(JSON.parse(json)), id, forge, delay: wait };
      rememberSecrets([webhook], this.#options);
      this.#queued.add({ ...newlyQueued(webhook, now + wait), ...others });
    }
  }

  /** Counts and sends the webhooks of a snapshot. */
  begin(): void {
    const now = this.#clock.now();
    for (const queued of this.#queued) {
      this.#count(queued);
      if (queued.attempt === 0) this.#begin(queued, Promise.resolve());
      else this.#schedule(queued, Math.max(0, queued.due - now), queued.attempt);
    }
  }

  /** How many webhooks are queued or in flight, and the length of their bodies in bytes. */
  get size() {
    const lengths = Array.from(this.#queued, ({ webhook }) => webhook.body.length);
    return { count: lengths.length, bytes: lengths.reduce((sum, length) => sum + length, 0) };
  }

  /** Stops sending. A snapshot can still save what is queued. */
  close(): void {
    this.#isClosed = true;
    for (const queued of this.#queued) this.#stop(queued);
  }

  /** Stops sending, and forgets what is queued. */
  drop(): void {
    this.close();
    for (const queued of this.#queued) this.#remove(queued);
  }

  #begin(queued: Queued, ready: Promise<unknown>): void {
    const schedule = (): void => {
      if (queued.dropped.signal.aborted) return;
      // While it waited, a test may have scripted it.
      this.#takeScript(queued, false);
      this.#schedule(queued, queued.webhook.delay, 1);
    };
    // A timer, so that an `advance` right after the response waits for it.
    queued.cancel = this.#clock.after(0, schedule, { ready });
  }

  /** Without a delay, it is sent even while the clock is frozen. */
  #beginEarly(queued: Queued, response: EarlyWebhooks): void {
    if (queued.dropped.signal.aborted) return;
    this.#takeScript(queued, false);
    const early = response.begin(queued.webhook);
    queued.early = early;
    const run = async (): Promise<void> => {
      early.waitsForClock = false;
      const ran = this.#run(queued, 1);
      await early.ended;
      // The response may leave during the attempt. An `advance` after it waits for the rest.
      if (!queued.dropped.signal.aborted) this.#clock.include(ran);
    };
    if (queued.webhook.delay > 0) this.#schedule(queued, queued.webhook.delay, 1, run);
    else void run();
  }

  /** A webhook that was sent before keeps its id. */
  #add(webhook: PreparedWebhook | OutgoingWebhook): Queued {
    if (this.#sender.pending >= MAX_QUEUED) {
      throw invalid('the webhook', `at most ${MAX_QUEUED} can be queued. Reset the mock`);
    }
    if (this.#sender.pendingBytes + webhook.body.length > MAX_QUEUED_BYTES) {
      const most = MAX_QUEUED_BYTES / 1_048_576;
      throw invalid('the webhook', `at most ${most} MiB of bodies can be queued. Reset the mock`);
    }
    rememberSecrets([webhook], this.#options);
    const queued = newlyQueued({ id: randomUUID(), ...webhook }, this.#clock.now());
    this.#queued.add(queued);
    this.#count(queued);
    return queued;
  }

  #count({ webhook }: Queued): void {
    this.#sender.pending++;
    this.#sender.pendingBytes += webhook.body.length;
  }

  #remove(queued: Queued): void {
    if (!this.#queued.delete(queued)) return;
    this.#sender.pending--;
    this.#sender.pendingBytes -= queued.webhook.body.length;
  }

  /**
   * Takes what is scripted for a webhook, once.
   *
   * @param isEarly whether it can still arrive before its response
   */
  #takeScript(queued: Queued, isEarly: boolean): void {
    const { webhook, isScripted } = queued;
    const script = isScripted ? undefined : this.#options.takeScript(webhook, isEarly);
    if (script === undefined) return;
    const { lose = false, delay = 0, repeat = 1, forge, before = webhook.before } = script;
    queued.webhook = { ...webhook, delay: webhook.delay + delay, forge, before };
    queued.isScripted = true;
    queued.isLost = lose;
    queued.left = lose ? 1 : repeat;
  }

  #schedule(
    queued: Queued,
    delay: number,
    attempt: number,
    run: () => Promise<unknown> = () => this.#run(queued, attempt),
  ): void {
    const now = this.#clock.now();
    // A clock that ends would leave it pending.
    const ms = Math.min(delay, MAX_TIME - now);
    Object.assign(queued, { attempt, due: now + ms });
    queued.cancel = this.#clock.after(ms, run);
  }

  async #run(queued: Queued, attempt: number): Promise<AttemptRecord | undefined> {
    const record = await this.#attempt(queued, attempt);
    if (queued.dropped.signal.aborted) return record;
    const { webhook, isLost } = queued;
    if (record?.reason === 'not-forged' || record?.reason === 'not-signed') {
      this.#remove(queued);
      return record;
    }
    const wait = isLost || record?.accepted ? undefined : webhook.retry[attempt - 1];
    if (wait !== undefined) this.#schedule(queued, wait, attempt + 1);
    else if (--queued.left > 0) this.#schedule(queued, 0, 1);
    else this.#remove(queued);
    return record;
  }

  #attempt(queued: Queued, attempt: number): Promise<AttemptRecord | undefined> {
    Object.assign(queued, { attempt, due: this.#clock.now() });
    const { webhook, isLost, dropped } = queued;
    const { signal } = dropped;
    const { early } = queued;
    queued.early = undefined;
    const { account } = this.#options;
    const { inFlight, journal, send, onFailed } = this.#sender;
    const isAwaited = early?.isAwaited ?? false;
    const begun = { time: this.#clock.now(), account, attempt, isAwaited };
    const attempted = inFlight.run(signal, async () => {
      early?.sending();
      const sent = signedParts(webhook);
      const isSigned = typeof sent !== 'string';
      const record = new AttemptRecord(webhook, begun, isSigned ? sent : undefined);
      journal.add(record);
      const began = monotonicTime();
      if (!isSigned) record.reason = sent;
      else if (isLost) record.reason = 'lost';
      else {
        const outcome = await send({ ...webhook, ...sent, signal });
        if ('reason' in outcome) record.reason = outcome.reason;
        else record.status = outcome.status;
        queued.response = 'body' in outcome ? outcome.body : undefined;
      }
      record.accepted = record.status !== null && accepts(webhook, record.status);
      record.durationMs = Math.round((monotonicTime() - began) * 10) / 10;
      journal.end(record);
      if (record.isFailed) onFailed(record);
      return record;
    });
    return attempted.finally(() => early?.end());
  }

  #stop(queued: Queued): void {
    queued.cancel();
    queued.dropped.abort();
    queued.early?.end();
  }
}

function newlyQueued(webhook: OutgoingWebhook, due: number): Queued {
  return {
    webhook,
    isScripted: false,
    isLost: false,
    left: 1,
    attempt: 0,
    due,
    dropped: new AbortController(),
    cancel: () => {},
  };
}

function accepts({ accept }: PreparedWebhook, status: number): boolean {
  return accept?.includes(status) ?? (status >= 200 && status < 300);
}
