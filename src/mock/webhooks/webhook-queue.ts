import { randomUUID } from 'node:crypto';
import { invalid } from '../../errors.ts';
import { monotonicTime, within } from '../../timers.ts';
import type { Remembered, Restoring } from '../account/remembered.ts';
import type { Clock } from '../clock/clock.ts';
import type { WebhookEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { AttemptRecord } from '../journal/record.ts';
import { MAX_QUEUED, MAX_QUEUED_BYTES, MAX_TIME } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { WebhookReason } from '../requests/reason.ts';
import { signedParts } from './forgery.ts';
import type { Semaphore } from './semaphore.ts';
import { rememberSecrets } from './signing.ts';
import type { OutgoingWebhook, PreparedWebhook } from './webhook.ts';
import type { ScriptedWebhook } from './webhook-script.ts';

export interface WebhookAttempt
  extends Pick<PreparedWebhook, 'url' | 'method' | 'headers' | 'body' | 'timeout'> {
  readonly signal: AbortSignal;
}

export type WebhookOutcome = { readonly status: number } | { readonly reason: WebhookReason };

/** It never rejects. */
export type SendWebhook = (attempt: WebhookAttempt) => Promise<WebhookOutcome>;

/** What sends the webhooks of all accounts. */
export interface WebhookSender {
  readonly send: SendWebhook;
  readonly journal: Journal<WebhookEntry>;
  readonly redactor: Redactor;
  readonly inFlight: Semaphore;
  /** How many webhooks of all accounts are queued or in flight. */
  pending: number;
  pendingBytes: number;
}

interface Queued {
  webhook: OutgoingWebhook;
  isLost: boolean;
  /** How many more times to send it, including this time. */
  left: number;
  /** The number of its next attempt, or of the one in flight; 0 before its response has left. */
  attempt: number;
  /** Resolves when its response has left. */
  begun?: Promise<void>;
  /** When the next attempt is due. */
  due: number;
  readonly dropped: AbortController;
  /** Cancels the timer of the next attempt. */
  cancel: () => void;
}

interface QueueOptions {
  readonly sender: WebhookSender;
  /** It is `null` for all accounts. */
  readonly account: string | null;
  readonly clock: Clock;
  readonly takeScript: () => ScriptedWebhook | undefined;
}

interface SavedWebhook extends Pick<Queued, 'isLost' | 'left' | 'attempt'> {
  /** It is JSON, with its body as text. */
  readonly webhook: string;
  /** The time until its next attempt. */
  readonly wait: number;
}

const MAX_BEGIN_MS = 1000;

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

  /** After `ready` has settled. @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if full */
  queue(webhook: PreparedWebhook, ready: Promise<unknown>): void {
    if (this.#isClosed) return;
    this.#begin(this.#add(webhook), ready);
  }

  /**
   * Makes the first attempt now. Retries follow the clock.
   *
   * @returns the attempt after it has ended; `undefined` if it was dropped
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if full
   */
  async send(webhook: PreparedWebhook): Promise<WebhookEntry | undefined> {
    if (this.#isClosed) return undefined;
    const queued = this.#add(webhook);
    this.#script(queued);
    return (await this.#run(queued, 1))?.entry(this.#sender.redactor);
  }

  /**
   * Resolves when the webhooks of responses that have left have taken their scripts. With a frozen
   * clock, they take them later.
   */
  async begun(): Promise<void> {
    if (this.#clock.state.frozen) return;
    const all = Promise.all(Array.from(this.#queued, ({ begun }) => begun));
    // A response with a long delay is not waited for.
    await within(all, MAX_BEGIN_MS, () => new Error('late')).catch(() => {});
  }

  /** Makes another attempt, immediately. It returns the same as {@link send}. */
  async sendAgain({ webhook, attempt }: AttemptRecord): Promise<WebhookEntry | undefined> {
    if (this.#isClosed) return undefined;
    const queued = this.#add(webhook);
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

  save(): SavedWebhook[] | undefined {
    if (this.#queued.size === 0) return undefined;
    const now = this.#clock.now();
    return Array.from(this.#queued, ({ webhook, isLost, left, attempt, due }) => ({
      webhook: JSON.stringify({ ...webhook, body: webhook.body.toString() }),
      isLost,
      left,
      attempt,
      wait: Math.max(0, due - now),
    }));
  }

  load(saved: readonly SavedWebhook[], { part }: Restoring): void {
    for (const [index, { webhook: json, isLost, left, attempt, wait }] of saved.entries()) {
      part(`[${index}]`, () => {
        const webhook = JSON.parse(json);
        const queued = this.#add({ ...webhook, body: Buffer.from(webhook.body) });
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
    queued.begun = new Promise((resolve) => {
      // A timer, so that an `advance` right after the response waits for it.
      queued.cancel = this.#clock.after(0, async () => {
        await ready;
        resolve();
        if (queued.dropped.signal.aborted) return;
        const delay = this.#script(queued);
        this.#schedule(queued, queued.webhook.delay + delay, 1);
      });
    });
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
    rememberSecrets([webhook], this.#sender.redactor);
    const queued: Queued = {
      webhook: { id: randomUUID(), ...webhook },
      isLost: false,
      left: 1,
      attempt: 0,
      due: this.#clock.now(),
      dropped: new AbortController(),
      cancel: () => {},
    };
    this.#queued.add(queued);
    this.#sender.pending++;
    this.#sender.pendingBytes += webhook.body.length;
    return queued;
  }

  #remove(queued: Queued): void {
    if (!this.#queued.delete(queued)) return;
    this.#sender.pending--;
    this.#sender.pendingBytes -= queued.webhook.body.length;
  }

  /** Returns the scripted delay. */
  #script(queued: Queued): number {
    const { lose = false, delay = 0, repeat = 1, forge } = this.#options.takeScript() ?? {};
    queued.webhook = { ...queued.webhook, forge };
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
    const { webhook, isLost } = queued;
    if (record?.reason === 'not-forged' || record?.reason === 'not-signed') {
      this.#remove(queued);
      return record;
    }
    const isAccepted = isLost || (record?.status != null && accepts(webhook, record.status));
    const wait = isAccepted ? undefined : webhook.retry[attempt - 1];
    if (wait !== undefined) this.#schedule(queued, wait, attempt + 1);
    else if (--queued.left > 0) this.#schedule(queued, 0, 1);
    else this.#remove(queued);
    return record;
  }

  #attempt(queued: Queued, attempt: number): Promise<AttemptRecord | undefined> {
    Object.assign(queued, { attempt, due: this.#clock.now() });
    const { webhook, isLost, dropped } = queued;
    const { signal } = dropped;
    const { inFlight, journal, send } = this.#sender;
    const begun = { time: this.#clock.now(), account: this.#options.account, queue: this, attempt };
    return inFlight.run(signal, async () => {
      const sent = signedParts(webhook);
      const isSigned = typeof sent !== 'string';
      const record = new AttemptRecord(webhook, begun, isSigned ? sent : undefined);
      journal.add(record);
      const began = monotonicTime();
      if (!isSigned) record.reason = sent;
      else if (isLost) record.reason = 'lost';
      else Object.assign(record, await send({ ...webhook, ...sent, signal }));
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

function accepts({ accept }: PreparedWebhook, status: number): boolean {
  return accept?.includes(status) ?? (status >= 200 && status < 300);
}
