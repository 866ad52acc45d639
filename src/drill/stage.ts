import { randomBytes } from 'node:crypto';
import { MomoMockError } from '../errors.ts';
import type { MomoAccount, MomoMock } from '../library/momo-mock.ts';
import { type RawAccount, rawAccountOf } from '../library/open-server.ts';
import type { RequestEntry, WebhookEntry } from '../mock/journal/entry.ts';
import type { DrillEnd, DrillFlow, DrillPayment, MomoDrill } from '../mock/ledger/momo-drill.ts';
import type { ScriptedResponse } from '../mock/responses/scripted-response.ts';
import { contained } from '../mock/verify/contained.ts';
import { parsedBody } from '../mock/verify/difference.ts';
import { monotonicTime, sleep, timeOfDay, within } from '../timers.ts';
import {
  type DrillOrder,
  type DrillProvider,
  type DrillTarget,
  type OpenApplication,
  secretsOf,
} from './application.ts';
import { Cron } from './cron.ts';
import { endOf, type Facts, isScripted, type OrderEntry, seconds } from './facts.ts';
import { JournalTail } from './journal-tail.ts';
import type { Right, Wrong } from './judge.ts';
import type { Learned } from './learned.ts';
import type { OrderBook } from './order-book.ts';
import type { Pace } from './pace.ts';
import { PlayedOrder } from './played-order.ts';
import { ProviderClock } from './provider-clock.ts';
import { DrillStopped, NotStarted } from './stopped.ts';
import { TIMES } from './times.ts';

/** Events never end where an application tries for ever: then a play ends after so many times the patience. */
const MAX_PATIENCES = 5;

/** What is true of each order of a failure. */
export interface FailureTraits {
  readonly name: string;
  /** What is right for its orders, or for the first one. */
  readonly right: Right;
  /** What to do about it, unless the provider's `drill.js` knows better. */
  readonly advice: string;
  /** Whether tokens of its account end. @default false */
  readonly endsTokens?: boolean;
}

export interface StageOptions {
  readonly mock: MomoMock;
  readonly provider: MomoDrill;
  readonly flow: DrillFlow;
  readonly target: DrillTarget;
  readonly failure: FailureTraits;
  /** The failure's place in the list of all. */
  readonly place: number;
  readonly patience: number;
  readonly pace: Pace;
  readonly book: OrderBook;
  readonly learned: Learned;
  readonly signal: AbortSignal;
}

/** How to look until something happens. */
interface Until {
  /** Whether the provider's clock moves. @default false */
  readonly moves?: boolean;
  /** How long at most, in ms. */
  readonly most?: number;
  /** Whether the drill calls `reconcile`. @default true */
  readonly reconciles?: boolean;
  /** Whether the drill asks for the outcome. @default true */
  readonly asks?: boolean;
  /** How long to wait after the last event, in ms. @default the patience */
  readonly patience?: number;
}

/**
 * An application in one failure, at a provider with an account of its own, whose clock stands still unless
 * {@link until} moves it. Its orders come one after the other.
 */
export class Stage {
  readonly account: MomoAccount;
  readonly options: StageOptions;
  /** A key may be a word, so what is judged and changed is never redacted. */
  readonly #raw: RawAccount;
  readonly #of: DrillProvider;
  readonly webhook: string;
  readonly application: OpenApplication;
  readonly #orders: PlayedOrder[] = [];
  /** The ledger entries of other orders, which the drill added. */
  readonly #others = new Set<string>();
  /** What the drill knows of the account's journal. */
  #firstRequest = 0;
  #firstWebhook = 0;
  readonly #requests: JournalTail<RequestEntry>;
  readonly #webhooks: JournalTail<WebhookEntry>;
  /** The order that a request names, by its id. */
  readonly #named = new Map<number, DrillOrder | undefined>();
  readonly clock: ProviderClock;
  readonly cron: Cron;
  #events = '';
  #eventAt = monotonicTime();
  #stale: Promise<unknown> | undefined;
  /** The webhooks that the drill sent. */
  readonly sent = new Set<string>();
  /** Judges the facts. Set for each play. */
  judge: (facts: Facts) => Wrong | undefined = () => undefined;
  /** What nothing made right again. */
  decided: Wrong | undefined;
  /** How late a timer of the drill came since the order began, at most, in ms. */
  lateness = 0;

  /**
   * @param trusts whether the application's environment trusts the mock
   * @throws NotStarted
   */
  static async open(options: StageOptions, state: object, trusts = true): Promise<Stage> {
    const { mock, provider, target, failure, signal } = options;
    const account = await mock.createAccount({ state: { ...provider.state, ...state } });
    try {
      await account.freeze();
      const { url, ca } = mock;
      const { apiKey } = account;
      const own = { url, ca, apiKey, webhookSecret: randomBytes(24).toString('hex') };
      const place = await target.place(own, failure.name);
      const { webhook = '' } = place;
      const prepared = await provider.prepare?.({
        state: rawAccountOf(mock, apiKey).state,
        apiKey,
        webhookSecret: own.webhookSecret,
        webhook: { payment: webhook, payout: webhook, refund: webhook },
      });
      const { webhookSecret = own.webhookSecret, ...credentials } = prepared ?? {};
      checkCredentials(credentials, provider);
      const given = { ...own, webhookSecret, credentials };
      const application = await place.open(given, { trusts, signal }).catch((error) => {
        signal.throwIfAborted();
        const text = `Failed to start the application: ${errorText(error)}`;
        throw new NotStarted(redacted(text, given), failure.name);
      });
      return new Stage(options, account, given, webhook, application);
    } catch (error) {
      await account.remove();
      throw error;
    }
  }

  private constructor(
    options: StageOptions,
    account: MomoAccount,
    provider: DrillProvider,
    webhook: string,
    application: OpenApplication,
  ) {
    this.options = options;
    this.account = account;
    this.#raw = rawAccountOf(options.mock, account.apiKey);
    this.#of = provider;
    this.webhook = webhook;
    this.application = application;
    this.#requests = new JournalTail(
      (options) => account.requests(options),
      ({ ended }) => ended,
    );
    this.#webhooks = new JournalTail(
      (options) => account.webhooks(options),
      ({ duration }) => duration !== null,
    );
    this.clock = new ProviderClock(account);
    const { pace } = options;
    this.cron = new Cron(application, pace, (ms) => this.isSuccess && pace.called(ms));
  }

  /** Whether nothing goes wrong in it. */
  get isSuccess(): boolean {
    return this.options.failure.name === 'success';
  }

  get flow(): DrillFlow {
    return this.options.flow;
  }

  get current(): PlayedOrder {
    const current = this.#orders.at(-1);
    if (current === undefined) throw new Error('No order has begun.');
    return current;
  }

  /** Whether the application contradicts the ledger. What comes later could make it right. */
  get isContradicted(): boolean {
    return this.current.contradicted.isOn;
  }

  /** Gets the provider ready for the next order, which has another amount and phone. */
  async begin(end: DrillEnd): Promise<void> {
    await this.setState(end.state ?? {});
    const { book, place } = this.options;
    this.#firstRequest = (await this.#requests.entries()).at(-1)?.id ?? this.#firstRequest;
    this.#firstWebhook = (await this.#webhooks.entries()).at(-1)?.id ?? this.#firstWebhook;
    this.#orders.push(new PlayedOrder(book.next(place, end, this.#of), this.application));
    this.cron.reset();
    this.lateness = 0;
    this.#happened();
  }

  /** Calls `pay` of the application, once for each click (ms from now). */
  pay(clicks: readonly number[] = [0]): void {
    this.current.pay(clicks);
    this.#happened();
  }

  async setState(values: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [name, value] of Object.entries(values)) await this.#raw.state.set(name, value);
  }

  /** Looks until something has happened, or nobody may expect it any more. */
  async until(
    hasHappened: (facts: Facts) => boolean | Promise<boolean>,
    how: Until = {},
  ): Promise<Facts> {
    const { moves = false, most = Infinity, patience = this.options.patience } = how;
    const began = monotonicTime();
    for (;;) {
      const facts = await this.#look(how);
      const elapsed = monotonicTime() - began;
      // As long as the drill held the provider's clock, no payment could end.
      const calm = moves ? Math.min(facts.calm, elapsed) : facts.calm;
      const isOver =
        this.#isUnreadable ||
        elapsed >= most ||
        calm >= patience ||
        elapsed >= MAX_PATIENCES * Math.max(patience, this.options.patience);
      if (this.#isDecided || isOver) return facts;
      if (await hasHappened(facts)) return facts;
    }
  }

  /** Lets a time pass, in ms, unless the verdict is clear before. */
  async pass(ms: number, how: Until = {}): Promise<Facts> {
    return await this.until(() => false, { patience: Infinity, ...how, most: ms });
  }

  async #look({ moves = false, reconciles = true, asks = true }: Until): Promise<Facts> {
    const began = monotonicTime();
    const facts = await this.#factsOf(this.current, asks);
    const wrong = this.#decide(facts);
    const hasEnded = facts.charges.every(({ state }) => state !== 'pending');
    // Where nothing is left to make right, nobody waits for webhooks that are sent again for days.
    const most = wrong === undefined && hasEnded ? TIMES.shortWait.ms : Infinity;
    if (moves && this.canMove(facts)) await this.clock.moveToNext(most);
    if (reconciles) this.cron.tick(facts.order, facts.calm);
    // On a busy machine, and with a command that tells the outcome, looking should not take most of the time.
    const rest = Math.min(TIMES.slowLook.ms, 3 * (monotonicTime() - began));
    await this.#sleep(Math.max(TIMES.look.ms, rest));
    return facts;
  }

  /**
   * Looks at all orders, for as long as something of them may still come. The latest is judged as before, and
   * the provider's clock moves for it.
   *
   * @param judge says what is wrong with an earlier order, by its place
   * @param isOver whether to stop watching. If something is wrong then, the drill waits for it a bit longer
   * @returns what is wrong with an earlier order
   */
  async watch(
    judge: (facts: Facts, order: number) => Wrong | undefined,
    isOver: (latest: Facts) => boolean | Promise<boolean>,
    moves: boolean,
  ): Promise<{ readonly latest: Facts; readonly wrong?: Wrong; readonly facts?: Facts }> {
    // Nobody has looked at the earlier orders since the latest one began.
    for (const { contradicted } of this.#orders.slice(0, -1)) contradicted.note(false);
    for (;;) {
      const began = monotonicTime();
      const latest = await this.#factsOf(this.current, true);
      this.#decide(latest);
      if (this.#isDecided) return { latest };
      const isLast = await isOver(latest);
      for (const [place, order] of this.#orders.slice(0, -1).entries()) {
        const facts = await this.#factsOf(order, true);
        const wrong = judge(facts, place);
        if (this.#lasts(wrong, order)) return { latest, wrong, facts };
      }
      const isClear = this.#orders.every(({ contradicted }) => !contradicted.isOn);
      if (isLast && isClear) return { latest };
      if (moves && this.canMove(latest)) await this.clock.moveToNext(TIMES.shortWait.ms);
      const waiting = this.#orders.filter(({ outcome }) => outcome.state === 'pending');
      void this.cron.run(waiting.map(({ order }) => order));
      const rest = Math.min(9 * (monotonicTime() - began), 10 * TIMES.watchedLook.ms);
      await this.#sleep(isClear ? Math.max(TIMES.watchedLook.ms, rest) : TIMES.look.ms);
    }
  }

  /**
   * Whether the application knows its payment, as far as one can tell from outside. Otherwise, a fast end
   * would be another failure than the one to test.
   */
  canMove(facts: Facts): boolean {
    if (this.isContradicted) return false;
    const { starts, questions } = facts;
    if (starts.some(({ ended }) => !ended)) return false;
    const { pace } = this.options;
    const isOld = (time: number, ms = pace.of('keepReference')) => facts.askedAt - time >= ms;
    // The journal may have dropped the request.
    const paidAt = Math.max(this.current.chargedAt, ...starts.map(endOf));
    if (!isOld(paidAt)) return false;
    if (questions.length > 0) return questions.some((one) => one.ended && isOld(endOf(one)));
    return facts.isBack ? this.cron.hasRunAfter(paidAt) : isOld(paidAt, pace.of('blockedPay'));
  }

  #decide(facts: Facts): Wrong | undefined {
    const wrong = this.judge(facts);
    if (this.#lasts(wrong, this.current)) this.decided ??= wrong;
    return wrong;
  }

  /** What is wrong for a moment only, while the application saves, does not count. */
  #lasts(wrong: Wrong | undefined, { contradicted }: PlayedOrder): wrong is Wrong {
    contradicted.note(wrong?.isFinal ?? false);
    return contradicted.lasted > this.options.pace.of('save');
  }

  /** Moves the provider's clock past the life of the tokens that the application has. */
  async expireTokens(): Promise<void> {
    await this.account.advance(((this.options.provider.tokens?.seconds ?? 0) + 1) * 1000);
    this.#happened();
  }

  /** What `drill.js` is told about a payment. */
  payment(facts: Facts): DrillPayment | undefined {
    const entry = facts.charges.find(({ state }) => state === 'pending') ?? facts.charges[0];
    if (entry === undefined) return undefined;
    const { misplaced: _, ...payment } = entry;
    const { apiKey, webhookSecret } = this.#of;
    const { state } = this.#raw;
    return { state, apiKey, webhookSecret, webhook: this.webhook, payment };
  }

  /** From now on, a ledger entry is of another order. */
  ignore(id: string): void {
    this.#others.add(id);
  }

  /**
   * Scripts the response of the next request that starts a payment.
   *
   * @param others the response to all other requests until {@link clearResponses}
   */
  async respondToStart(
    response: Omit<ScriptedResponse, 'operation'>,
    others?: ScriptedResponse,
  ): Promise<void> {
    const own = this.flow.start.map((operation) => ({ ...response, operation }));
    const rest: ScriptedResponse[] = others === undefined ? [] : [{ ...others, times: 'always' }];
    await this.account.respondWith([...own, ...rest]);
  }

  stopped(text: string): DrillStopped {
    return new DrillStopped(this.redacted(text), this.options.failure.name);
  }

  redacted(text: string): string {
    return redacted(text, this.#of);
  }

  /** How the application's process ended, in words. In `success`, its outcome stops the drill. */
  get crash(): string | undefined {
    return this.isSuccess ? undefined : this.application.crash?.();
  }

  /** Whether nothing that comes later changes the verdict. */
  get #isDecided(): boolean {
    return this.decided !== undefined || this.crash !== undefined;
  }

  /** Whether nobody needs to wait for the outcome: `success` stops the drill without one. */
  get #isUnreadable(): boolean {
    const { isBack, unreadable, outcomeError } = this.current;
    if (!this.isSuccess) return false;
    const isLate = isBack && unreadable.lasted > this.options.pace.of('giveUp');
    return isLate || outcomeError instanceof DrillStopped;
  }

  /** Why the last outcome could not be read, if it could not. */
  get outcomeProblem(): string | undefined {
    const { outcomeError } = this.current;
    return outcomeError === undefined ? undefined : errorText(outcomeError);
  }

  /** Ends the application, and removes its account. */
  async close(): Promise<void> {
    try {
      await this.application.close();
    } finally {
      await this.account.reset();
      await this.account.remove();
    }
  }

  #happened(): void {
    this.#eventAt = monotonicTime();
  }

  async #factsOf(played: PlayedOrder, asks: boolean): Promise<Facts> {
    const { provider, flow, pace, learned } = this.options;
    const { isBack } = played;
    const askedAt = timeOfDay();
    if (asks) await this.#ask(played);
    const isCurrent = played === this.current;
    const [afterRequest, afterWebhook] = isCurrent
      ? [this.#firstRequest, this.#firstWebhook]
      : [0, 0];
    const requests = (await this.#requests.entries()).filter(({ id }) => id > afterRequest);
    const webhooks = (await this.#webhooks.entries()).filter(({ id }) => id > afterWebhook);
    // Last, so that what the application knows, and what a request took, is in it.
    const ledger = await this.#raw.ledger();
    const entries = this.#entriesOf(played.order, ledger);
    const charges = entries.filter(({ kind }) => kind === 'payment');
    if (charges.length > 0) played.chargedAt = Math.min(played.chargedAt, timeOfDay());
    const own = requests.filter((request) => this.#isOf(request, played.order));
    const callsOf = (operations: readonly string[] = []) =>
      own.filter(({ operation }) => operations.some((name) => name === operation));
    const isTold = webhooks.some((webhook) => this.#tells(webhook, charges));
    learned.tellsFulfilled ||= played.outcome.fulfilled !== undefined;
    if (this.isSuccess) {
      learned.learn(played.order, charges, webhooks, this.sent);
      for (const { accepted, duration } of webhooks) if (accepted) pace.called(duration ?? 0);
    }
    // One early 404 may be a server whose threads see different things.
    const isForgotten = isBack && played.unknown.lasted > pace.of('forget');
    if (isCurrent) this.#note(isBack, ledger, requests, webhooks);
    return {
      order: played.order,
      charges,
      taken: charges.filter(({ state }) => state === 'pending' || state === 'success'),
      backs: entries.filter(({ kind }) => kind !== 'payment'),
      outcome: isForgotten ? { state: 'failed' } : played.outcome,
      note: played.note,
      isForgotten,
      askedAt,
      requests: own,
      starts: callsOf(flow.start),
      questions: callsOf(flow.status),
      tokenCalls: callsOf(provider.tokens?.operations),
      webhooks,
      isBack,
      elapsed: monotonicTime() - played.began,
      calm: monotonicTime() - this.#eventAt,
      patience: this.options.patience,
      flow,
      sendsOrder: learned.sendsOrder === true && !this.isSuccess,
      isTold,
    };
  }

  /** Remembers when something last happened. A usual response, a look and `reconcile` are no events. */
  #note(
    isBack: boolean,
    ledger: readonly OrderEntry[],
    requests: readonly RequestEntry[],
    webhooks: readonly WebhookEntry[],
  ): void {
    const scripted = requests.filter((one) => one.ended && isScripted(one)).length;
    const attempts = webhooks.filter(({ duration }) => duration !== null).length;
    const states = ledger.map(({ id, state }) => [id, state]);
    const events = JSON.stringify([isBack, states, scripted, attempts, this.clock.movedAt]);
    if (events !== this.#events) this.#happened();
    this.#events = events;
  }

  #entriesOf(order: DrillOrder, ledger: readonly OrderEntry[]): OrderEntry[] {
    const { book } = this.options;
    const played = this.#orders.map(({ order }) => order);
    return ledger.flatMap((entry) => {
      if (this.#others.has(entry.id)) return [];
      const { order: owner, wrong } = book.ownerOf(entry, played);
      return owner === order ? [{ ...entry, misplaced: wrong }] : [];
    });
  }

  /** Whether a request is of an order: it names it, or no other. */
  #isOf({ id, path, query, body, ended }: RequestEntry, order: DrillOrder): boolean {
    let named = this.#named.get(id);
    if (named === undefined && !this.#named.has(id)) {
      named = this.options.book.namedIn(`${path} ${JSON.stringify(query)} ${body}`);
      // A request whose body is on its way may name one later.
      if (named !== undefined || ended) this.#named.set(id, named);
    }
    return named === undefined || named === order;
  }

  /** Whether a genuine final webhook of one of these payments was acknowledged. */
  #tells(webhook: WebhookEntry, charges: readonly OrderEntry[]): boolean {
    const { accepted, webhookId, forge, body } = webhook;
    if (accepted !== true || forge !== null || this.sent.has(webhookId)) return false;
    const ids = charges.flatMap(({ id, order }) => [id, order ?? id]);
    const isNamed = ids.some((id) => body.includes(id));
    const isOther = !isNamed && this.options.book.namedIn(body) !== undefined;
    return !isOther && !isPending(webhook, this.flow);
  }

  async #ask(played: PlayedOrder): Promise<void> {
    const began = monotonicTime();
    // An earlier call that has not come back is not repeated for ever.
    await this.#stale;
    const asked = played.ask();
    const late = () => new Error(`it did not come within ${seconds(TIMES.outcome.ms)}.`);
    await within(asked, TIMES.outcome.ms, late).catch((error) => {
      played.cannotRead(error);
      this.#stale = Promise.race([asked, sleep(TIMES.outcome.ms)]).finally(() => {
        this.#stale = undefined;
      });
    });
    if (this.isSuccess) this.options.pace.called(monotonicTime() - began);
  }

  /** Whether `reconcile` ran after everything else, or there is none. */
  get isReconciled(): boolean {
    return !this.clock.isMoving && this.cron.hasRunSince(this.clock.movedAt);
  }

  async #sleep(ms: number): Promise<void> {
    const { signal, pace } = this.options;
    this.lateness = Math.max(this.lateness, await pace.sleep(ms, signal));
  }
}

function isPending({ body, headers }: WebhookEntry, { webhooks }: DrillFlow): boolean {
  if (webhooks?.pending === undefined) return false;
  const { value } = parsedBody(body, headers);
  return contained(value, webhooks.pending, ['body']).next().done === true;
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

function redacted(text: string, provider: DrillProvider): string {
  return secretsOf(provider)
    .filter((secret) => secret.length > 3)
    .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}

export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // The last line may be of an application's output.
  return /[.?!]$|\n/.test(text) ? text : `${text}.`;
}
