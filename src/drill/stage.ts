import { randomBytes } from 'node:crypto';
import { MomoMockError } from '../errors.ts';
import type { MomoAccount, MomoMock } from '../library/momo-mock.ts';
import type { RequestEntry } from '../mock/journal/entry.ts';
import type { RequestsOptions } from '../mock/journal/filter.ts';
import type { DrillPayment, MomoDrill, PaymentEnd } from '../mock/operations/drill-file.ts';
import type { ScriptedResponse } from '../mock/responses/scripted-response.ts';
import { monotonicTime, sleep, timeOfDay, within } from '../timers.ts';
import type {
  Application,
  DrillOrder,
  DrillOutcome,
  DrillProvider,
  DrillTarget,
} from './application.ts';
import { type Facts, paymentsIn, questionsIn, seconds } from './facts.ts';
import { DrillStopped } from './stopped.ts';

/** The limit for which all other times are meant, in ms. With a shorter one, they are shorter. */
export const USUAL_LIMIT = 20_000;

/** The time between two looks, in ms. */
const LOOK_EVERY = 100;
const MAX_REST = 1000;
/** How long an application may take to keep the reference that it got, in ms. */
const TO_KEEP_REFERENCE = 300;
/** After this time without a sign of the application that blocks in `pay`, the clock moves on, in ms. */
const TO_RETURN_FROM_PAY = 2000;
/** How far the clock moves at most in one look, in ms. Longer waits take a second of real time. */
const SHORT_WAIT = 60_000;
const RECONCILE_EVERY = 500;
const MAX_OUTCOME_MS = 15_000;

export interface StageOptions {
  readonly mock: MomoMock;
  readonly provider: MomoDrill;
  readonly target: DrillTarget;
  readonly failure: string;
  readonly limit: number;
  readonly hasWebhook: boolean;
  readonly signal: AbortSignal;
  readonly onOutcome: (outcome: DrillOutcome) => void;
}

/** One order of the application, at a provider whose clock stands still unless {@link look} moves it. */
export class Stage {
  readonly account: MomoAccount;
  readonly provider: MomoDrill;
  readonly options: StageOptions;
  readonly order: DrillOrder;
  /** The start of the application does not count. */
  #began = monotonicTime();
  #application: (Application & { close(): Promise<void> }) | undefined;
  #running = 0;
  /** Why the last call of `pay` failed. */
  payError: unknown;
  #outcome: DrillOutcome = { state: 'pending' };
  #outcomeError: unknown;
  /** The ledger entries of other orders, which the drill added. */
  readonly #others = new Set<string>();
  #advancing: Promise<unknown> | undefined;
  #advancedAt = -Infinity;
  #reconciling: Promise<unknown> | undefined;
  #reconcilingSince = Infinity;
  #reconciledAt = -Infinity;
  #movedAt = -Infinity;
  /** Whether `reconcile` ran after the clock had stopped moving. */
  #isReconciled = false;
  /** Why the clock could not move, if it could not. */
  clockError: unknown;
  /** The webhooks that the drill sent. */
  readonly sent = new Set<string>();
  /** Looks at the facts, and returns whether nothing can change the verdict. */
  watch: (facts: Facts) => boolean = () => false;
  /** Whether the application contradicts the ledger. What comes later could make it right. */
  isContradicted = false;
  #isDecided = false;

  static async open(options: StageOptions, end: PaymentEnd, state: object = {}): Promise<Stage> {
    const { mock, provider } = options;
    const { phone, state: ofEnd } = provider.ends[end] ?? provider.ends.success;
    const account = await mock.createAccount({
      state: { ...provider.state, ...ofEnd, ...state },
    });
    await account.freeze();
    const webhookSecret = randomBytes(24).toString('hex');
    const { apiKey } = account;
    const own = { state: account.state, apiKey, webhookSecret };
    const credentials = (await provider.prepare?.(own)) ?? {};
    checkCredentials(credentials, provider);
    const { url, ca } = mock;
    return new Stage(options, account, phone, { url, ca, apiKey, webhookSecret, credentials });
  }

  private constructor(
    options: StageOptions,
    account: MomoAccount,
    phone: string,
    provider: DrillProvider,
  ) {
    this.options = options;
    this.account = account;
    this.provider = options.provider;
    const { amount, currency } = options.provider;
    // Short and plain, because some providers allow 12 characters.
    const random = randomBytes(3).readUIntBE(0, 3).toString(36).slice(-3).padStart(3, '0');
    const order = `d${timeOfDay().toString(36)}${random}`;
    this.order = { order, amount, currency, phone, provider };
  }

  /** How much shorter than usual all times are. */
  get scale(): number {
    return Math.min(1, this.options.limit / USUAL_LIMIT);
  }

  get elapsed(): number {
    return monotonicTime() - this.#began;
  }

  get isLate(): boolean {
    return this.elapsed >= this.options.limit;
  }

  get webhook(): string {
    return this.#application?.webhook ?? '';
  }

  /** Starts the application, and calls its `pay`. */
  async start(clicks = 1): Promise<void> {
    const { target, failure, signal } = this.options;
    try {
      this.#application = await target.open(this.order.provider, failure, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw this.stopped(`Failed to start the application: ${textOf(error)}`);
    }
    const application = this.#application;
    this.#began = monotonicTime();
    this.#running = clicks;
    for (let click = 0; click < clicks; click++) {
      void (async () => await application.pay(this.order))()
        .catch((error) => (this.payError = error ?? 'nothing'))
        .finally(() => this.#running--);
    }
  }

  /** Looks until something has happened, or the time for the failure is over. */
  async until(
    hasHappened: (facts: Facts) => boolean | Promise<boolean>,
    { moves = false, most = Infinity, reconciles = true } = {},
  ): Promise<Facts> {
    const end = this.elapsed + most;
    for (;;) {
      const facts = await this.look(moves, reconciles);
      const isOver =
        this.#isDecided || this.isLate || this.elapsed >= end || this.crash !== undefined;
      if (isOver || (await hasHappened(facts))) return facts;
    }
  }

  /**
   * @param moves whether the provider's clock moves on
   * @param reconciles whether cron jobs of the application may run
   */
  async look(moves: boolean, reconciles: boolean): Promise<Facts> {
    const began = monotonicTime();
    const askedAt = timeOfDay();
    const isPaid = this.#running === 0;
    const hasReconciled = this.#hasReconciled;
    const { signal, hasWebhook } = this.options;
    const outcome = await this.#ask();
    const ledger = await this.account.ledger();
    const requests = await newest((options) => this.account.requests(options));
    const webhooks = await newest((options) => this.account.webhooks(options));
    const facts: Facts = {
      outcome,
      askedAt,
      charges: ledger.filter(({ id, kind }) => kind === 'payment' && !this.#others.has(id)),
      requests,
      webhooks,
      isPaid,
      hasReconciled,
      elapsed: this.elapsed,
      provider: this.provider,
      hasWebhook,
    };
    this.#isDecided = this.watch(facts);
    if (moves && this.canMove(facts)) await this.#move();
    if (reconciles) this.#reconcile();
    // On a busy machine, and with a command that tells the outcome, looking should not take most of the time.
    const rest = Math.min(MAX_REST, 3 * (monotonicTime() - began));
    await sleep(Math.max(LOOK_EVERY, rest), undefined, { signal });
    return facts;
  }

  /**
   * Whether the application knows its payment, as far as one can tell from outside. Otherwise, a fast end
   * would be another failure than the one to test.
   */
  canMove(facts: Facts): boolean {
    if (this.isContradicted) return false;
    const payments = paymentsIn(facts);
    if (payments.some(({ ended }) => !ended)) return false;
    const isOld = (time: number, ms = TO_KEEP_REFERENCE) => facts.askedAt - time >= ms;
    const paidAt = Math.max(0, ...payments.map(endOf));
    if (!isOld(paidAt)) return false;
    const questions = questionsIn(facts);
    if (questions.length > 0) return questions.some((one) => one.ended && isOld(endOf(one)));
    return facts.isPaid ? facts.hasReconciled : isOld(paidAt, TO_RETURN_FROM_PAY);
  }

  /** Moves the provider's clock to what is due next. */
  async #move(): Promise<void> {
    if (this.#advancing !== undefined) return;
    const { now, next } = await this.account.clock();
    if (next === null) return;
    const wait = Math.max(0, next - now);
    if (wait > SHORT_WAIT && monotonicTime() - this.#advancedAt < 1000) return;
    this.advance(wait);
  }

  /** Moves the provider's clock in the background, because a webhook may take long. */
  advance(ms: number): void {
    this.#isReconciled = false;
    this.#advancedAt = monotonicTime();
    this.#advancing = this.account
      .advance(ms)
      .catch((error) => {
        this.clockError = error;
      })
      .finally(() => {
        this.#advancing = undefined;
        this.#movedAt = monotonicTime();
      });
  }

  /** Whether a timer or a webhook is due that an application may still need. */
  async isDue(): Promise<boolean> {
    if (this.#advancing !== undefined) return true;
    const { now, next } = await this.account.clock();
    return next !== null && next - now <= SHORT_WAIT;
  }

  /** What `drill.js` is told about a payment. */
  payment(facts: Facts): DrillPayment | undefined {
    const payment = facts.charges.find(({ state }) => state === 'pending') ?? facts.charges[0];
    if (payment === undefined) return undefined;
    const { apiKey, webhookSecret } = this.order.provider;
    const { state } = this.account;
    return { state, apiKey, webhookSecret, webhook: this.webhook, payment };
  }

  /** From now on, a ledger entry is of another order. */
  ignore(id: string): void {
    this.#others.add(id);
  }

  /** Scripts the response of the next request that starts a payment. */
  async respondToPayment(response: Omit<ScriptedResponse, 'operation'>): Promise<void> {
    await this.account.respondWith(
      this.provider.pay.map((operation) => ({ ...response, operation })),
    );
  }

  stopped(text: string): DrillStopped {
    return new DrillStopped(this.redacted(text), this.options.failure);
  }

  redacted(text: string): string {
    const { apiKey, webhookSecret, credentials } = this.order.provider;
    const secrets = [apiKey, webhookSecret, ...Object.values(credentials)];
    return secrets
      .filter((secret) => secret.length > 3)
      .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  }

  /** How the application's process ended, in words. In `success`, its outcome stops the drill. */
  get crash(): string | undefined {
    return this.options.failure === 'success' ? undefined : this.#application?.crash?.();
  }

  /** @throws DrillStopped if the last outcome could not be read */
  checkOutcome(): void {
    if (this.#outcomeError === undefined) return;
    const why = textOf(this.#outcomeError);
    throw this.stopped(`Failed to read the outcome of an order: ${why}`);
  }

  async close(): Promise<void> {
    try {
      await this.#application?.close();
    } finally {
      await this.account.reset();
      await this.account.remove();
    }
  }

  async #ask(): Promise<DrillOutcome> {
    const application = this.#application;
    if (application === undefined) return this.#outcome;
    const late = () => new Error(`it did not come within ${seconds(MAX_OUTCOME_MS)}.`);
    let given: unknown;
    try {
      const asked = (async () => await application.outcome(this.order))();
      given = await within(asked, MAX_OUTCOME_MS, late);
      this.#outcomeError = undefined;
    } catch (error) {
      // It may come later: an order that is being saved, or a command on a busy machine.
      this.#outcomeError = error ?? 'nothing';
      return this.#outcome;
    }
    const problem = problemOf(given);
    if (problem !== undefined)
      throw this.stopped(`Failed to read the outcome of an order: ${problem}`);
    this.#outcome =
      typeof given === 'string'
        ? { state: given as DrillOutcome['state'] }
        : (given as DrillOutcome);
    this.options.onOutcome(this.#outcome);
    return this.#outcome;
  }

  /** Calls `reconcile` now and then, as a cron job would. */
  #reconcile(): void {
    const application = this.#application;
    if (application?.reconcile === undefined) return;
    if (this.#reconciling !== undefined || this.#running > 0) return;
    if (monotonicTime() - this.#reconciledAt < RECONCILE_EVERY * this.scale) return;
    const began = monotonicTime();
    this.#reconcilingSince = Math.min(this.#reconcilingSince, began);
    this.#reconciling = (async () => await application.reconcile?.(this.order))()
      .catch(() => {})
      .finally(() => {
        this.#reconciling = undefined;
        this.#reconciledAt = monotonicTime();
        this.#isReconciled = this.#advancing === undefined && began > this.#movedAt;
      });
  }

  /** Whether `reconcile` ran, so that it met a payment that is pending, or hangs, or there is none. */
  get #hasReconciled(): boolean {
    const hangs = monotonicTime() - this.#reconcilingSince > TO_RETURN_FROM_PAY;
    return this.#application?.reconcile === undefined || this.#reconciledAt > -Infinity || hangs;
  }

  /** Whether `reconcile` ran after everything else, or there is none. */
  get isReconciled(): boolean {
    return this.#application?.reconcile === undefined || this.#isReconciled;
  }
}

/**
 * The newest entries of a journal, also if it has dropped others: an application that retries for ever
 * fills it.
 */
export async function newest<Entry>(
  read: (options: Pick<RequestsOptions, 'limit' | 'waitFor' | 'timeout'>) => Promise<Entry[]>,
): Promise<Entry[]> {
  const all = { limit: 10_000 };
  // With waitFor, a journal does not have to be complete.
  return await read(all)
    .catch(() => read({ ...all, waitFor: 1, timeout: 1 }))
    .catch(() => []);
}

/** When a request ended, in ms since 1970; while it runs, when it came. */
export function endOf({ time, duration }: RequestEntry): number {
  return Date.parse(time) + (duration ?? 0);
}

/** @throws MomoMockError `MOMO_MOCK_FIXTURE_INVALID` if they are not those that `drill.js` lists */
function checkCredentials(given: object, { credentials: names = [] }: MomoDrill): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  const missing = names.find((name) => typeof Reflect.get(given, name) !== 'string');
  const problem =
    unknown !== undefined
      ? `prepare returned "${unknown}", which is not in credentials. Add it there, or omit it here.`
      : `prepare returned no text for "${missing}", which is in credentials.`;
  if (unknown === undefined && missing === undefined) return;
  throw new MomoMockError('MOMO_MOCK_FIXTURE_INVALID', `Failed to read drill.js: ${problem}`);
}

function problemOf(given: unknown): string | undefined {
  const { state, fulfilled } = Object(typeof given === 'string' ? { state: given } : given);
  if (!/^(paid|pending|failed)$/.test(`${state}`))
    return "it is not 'paid', 'pending' or 'failed', nor { state, fulfilled }.";
  const isCount = fulfilled === undefined || (Number.isInteger(fulfilled) && fulfilled >= 0);
  return isCount ? undefined : 'its fulfilled is not a whole number from 0.';
}

export function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
