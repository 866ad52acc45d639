import { invalid, MomoMockError } from '../../errors.ts';
import { timeOfDay } from '../../timers.ts';
import type { Clock } from '../clock/clock.ts';
import { AccountClock, ClockOfAll } from '../clock/clock-of-all.ts';
import type { RequestEntry, WebhookEntry } from '../journal/entry.ts';
import type { FeedOptions, JournalBatch } from '../journal/feed.ts';
import { SUCCESSFUL } from '../journal/filter.ts';
import { parseExact, writeJson } from '../json/exact-json.ts';
import { MAX_LEVELS, MAX_SCRIPTED_TEXTS, MAX_SCRIPTED_WEBHOOKS } from '../limits.ts';
import { checkVariant } from '../operations/operation.ts';
import { Prompts } from '../prompts/prompts.ts';
import { givenBalance } from '../responses/given-body.ts';
import type { HttpResponse } from '../responses/http-response.ts';
import { AccountState, initialState } from '../state/account-state.ts';
import type { StateLayer } from '../state/state-values.ts';
import { StateView } from '../state/state-view.ts';
import type { FinishedRequest, MomoFinishOptions } from '../verify/expectation.ts';
import type { Unused } from '../verify/verify.ts';
import { hasTooManyTexts, placeInScript } from '../webhooks/script-match.ts';
import type { PreparedWebhook } from '../webhooks/webhook.ts';
import { WebhookQueue } from '../webhooks/webhook-queue.ts';
import type { ScriptedWebhook } from '../webhooks/webhook-script.ts';
import type { AccountContext } from './account-context.ts';
import { AccountJournal } from './account-journal.ts';
import { AccountSecrets } from './account-secrets.ts';
import { type MomoRateLimit, RateLimiter } from './rate-limit.ts';
import { type Remembered, RememberedValue } from './remembered.ts';
import { idsOf, ScriptedResponses } from './responses.ts';
import { Tokens } from './tokens.ts';

/** An account, and its initial state, which a reset restores. */
export interface InitialAccount {
  readonly key: string;
  readonly variant?: string | undefined;
  readonly balance?: HttpResponse | undefined;
  /** The values of the state as JSON, by their names. */
  readonly state?: StateLayer | undefined;
}

/** What an account remembers, as JSON by name. */
export type SavedAccount = Readonly<Record<string, unknown>>;

interface OwnAccount {
  readonly id: string;
  readonly all: Account;
  readonly initial: InitialAccount;
  readonly lastUsed?: number | undefined;
}

/**
 * What an API key opens: everything that tests and people configure and query of one account. What
 * concerns all accounts is an account without a key, `Mock.all`.
 *
 * Callers check a test's input first. All other checks run before anything changes.
 */
export class Account {
  /** Names the account in logs and in the journal, which never show its key. */
  readonly id: string | undefined;
  /** It is `undefined` for all accounts. */
  readonly initial: InitialAccount | undefined;
  /** When a request or a call last used it, in ms since 1970. */
  lastUsed: number;

  readonly balanceSet: RememberedValue<string, HttpResponse>;
  readonly variantSet: RememberedValue<string>;
  readonly rateLimiter: RateLimiter;
  readonly responses: ScriptedResponses;
  readonly webhookScript: RememberedValue<string, readonly ScriptedWebhook[]>;
  /** Where {@link state} is kept. */
  readonly values: AccountState;
  readonly clock: Clock;
  readonly tokens: Tokens;
  readonly webhookQueue: WebhookQueue;

  /** All that snapshots save, by its name there. */
  readonly remembered: Readonly<Record<string, Remembered>>;

  readonly secrets: AccountSecrets;
  /** The state as handlers see it, with its secrets. */
  readonly state: StateView;
  readonly prompts: Prompts;
  readonly requests: AccountJournal<RequestEntry>;
  readonly webhooks: AccountJournal<WebhookEntry>;
  readonly #context: AccountContext;
  readonly #clockOfAll: ClockOfAll;

  /** @param own `undefined` for all accounts */
  constructor(context: AccountContext, own?: OwnAccount) {
    const { feed, journals, sender, timerOptions } = context;
    const { id, all, initial } = own ?? {};
    this.#context = context;
    this.id = id;
    this.initial = initial;
    this.lastUsed = own?.lastUsed ?? timeOfDay();
    this.secrets = new AccountSecrets(context, initial?.key);

    this.#clockOfAll = all ? all.#clockOfAll : new ClockOfAll(timerOptions);
    this.clock = all ? new AccountClock(timerOptions, this.#clockOfAll) : this.#clockOfAll;
    this.tokens = new Tokens(context.byToken, initial?.key, () => this.clock.now());
    this.balanceSet = new RememberedValue(feed, {
      event: 'balance',
      form: ({ Type, jsonText }) =>
        Type.Union([jsonText('a body'), Type.Null()], {
          title: `a body, as JSON in a string with at most ${MAX_LEVELS} levels`,
        }),
      initial: initial?.balance,
      read: (json) => givenBalance(context, json),
      save: ({ body }) => body.toString(),
    });
    this.variantSet = new RememberedValue(feed, {
      event: 'variant',
      form: ({ Type }) => Type.String(),
      read: (variant) => checkVariant(context.operations, variant),
      save: (variant) => variant,
    });
    this.rateLimiter = new RateLimiter(() => this.clock.now());
    this.responses = new ScriptedResponses(context, {
      isForAll: id === undefined,
      remember: (secret) => this.secrets.remember(secret),
    });
    this.webhookScript = new RememberedValue(feed, {
      event: 'webhooks',
      form: ({ jsonText, WEBHOOK_SCRIPT }) =>
        jsonText('a webhook script', WEBHOOK_SCRIPT, (script) => !hasTooManyTexts(script)),
      read: (json) => parseExact(json) as readonly ScriptedWebhook[],
      save: (script) => writeJson(script),
    });
    this.values = new AccountState({
      start: initial?.state,
      below: () => all?.values ?? initialState(context.tree.state),
      schema: () => context.tree.stateSchema,
      onChange: () => feed.change('state'),
    });
    this.webhookQueue = new WebhookQueue({
      sender,
      account: id ?? null,
      clock: this.clock,
      remember: (secret) => this.secrets.remember(secret),
      takeScript: (webhook, isEarly) =>
        this.takeWebhookScript(webhook, isEarly) ?? all?.takeWebhookScript(webhook, isEarly),
    });
    this.remembered = {
      // First, because times in other parts are relative to it.
      clock: this.clock,
      tokens: this.tokens,
      balance: this.balanceSet,
      variant: this.variantSet,
      rateLimit: this.rateLimiter,
      responses: this.responses,
      webhookScript: this.webhookScript,
      state: this.values,
      webhooks: this.webhookQueue,
    };

    this.state = new StateView(this.values);
    this.prompts = new Prompts(context, id, this.clock);
    this.requests = new AccountJournal(context, id, journals.requests);
    this.webhooks = new AccountJournal(context, id, journals.webhooks);
  }

  /** The balance that was set, if any. Configured keys in it are redacted. */
  get balance(): Buffer | undefined {
    const json = this.balanceSet.value?.body;
    return json && Buffer.from(this.#context.redactor.redactJson(json.toString()));
  }

  get variant(): string | undefined {
    return this.variantSet.value ?? this.initial?.variant;
  }

  /** Sets the rate limit, which starts counting now. `undefined` removes it. */
  setRateLimit(limit: MomoRateLimit | undefined): void {
    this.rateLimiter.set(limit);
    if (this.id === undefined) {
      for (const { rateLimiter } of this.#context.accounts) rateLimiter.restart();
    }
    this.#context.feed.change('rate-limit');
  }

  /** Scripts the next webhooks. It replaces the rest of the previous script, or is added to it. */
  async scriptWebhooks(script: readonly ScriptedWebhook[], isAdded = false): Promise<void> {
    for (const [index, { match }] of script.entries()) {
      const place = `webhooks[${index}].match`;
      if (match !== undefined) await this.webhooks.checkPossible(match, { place });
    }
    const kept = (isAdded && this.webhookScript.value) || [];
    if (kept.length + script.length > MAX_SCRIPTED_WEBHOOKS) {
      const most = `must be at most ${MAX_SCRIPTED_WEBHOOKS} in total, and ${kept.length} are left`;
      throw invalid('webhooks', most);
    }
    const all = [...kept, ...script];
    if (hasTooManyTexts(all)) {
      const most = `must be at most ${MAX_SCRIPTED_TEXTS} with a text as match.body in total`;
      throw invalid('webhooks', most);
    }
    this.#setWebhookScript(all);
  }

  get webhookScriptIds(): readonly number[] {
    return idsOf(this.webhookScript.value ?? []);
  }

  removeScriptedWebhook(id: number): boolean {
    const place = this.webhookScriptIds.indexOf(id);
    if (place !== -1) this.#setWebhookScript(this.webhookScript.value?.toSpliced(place, 1));
    return place !== -1;
  }

  #setWebhookScript(script: readonly ScriptedWebhook[] = []): void {
    this.webhookScript.value = script.length === 0 ? undefined : script;
    this.#context.feed.change(this.webhookScript.event);
  }

  takeWebhookScript(webhook: PreparedWebhook, isEarly: boolean): ScriptedWebhook | undefined {
    const script = this.webhookScript.value ?? [];
    const place = placeInScript(script, webhook, isEarly);
    if (place === -1) return undefined;
    this.#setWebhookScript(script.toSpliced(place, 1));
    return script[place];
  }

  /**
   * Makes another attempt of a webhook, immediately, or sends a changed one.
   *
   * @param id the id of one of its attempts
   * @returns the new attempt after it has ended; `undefined` if the journal has no attempt with
   *   this id, or the attempt was dropped
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN` if the account of the attempt was removed
   */
  async sendWebhookAgain(id: number, change = {}): Promise<WebhookEntry | undefined> {
    const record = this.#context.journals.webhooks.get(id, this.id);
    if (record?.kind !== 'webhooks') return undefined;
    const queue = this.#queueOf(record.account);
    if (Object.keys(change).length === 0) return await queue.sendAgain(record);
    const { changedWebhook } = await import('../webhooks/webhook.ts');
    return await queue.send(changedWebhook(record.webhook, change));
  }

  /** Looked up now, because a restore replaces accounts. */
  #queueOf(id: string | null): WebhookQueue {
    const { all, accounts } = this.#context;
    const owner = id === null ? all : accounts.find((account) => account.id === id);
    if (owner !== undefined) return owner.webhookQueue;
    const text = `Failed to send the webhook again: its account ${id} was removed. Send it with POST /webhooks.`;
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }

  /** Waits for a request, and advances the clock until nothing is due. */
  async finish(
    request: FinishedRequest,
    { waitFor, timeout }: Required<MomoFinishOptions>,
    signal?: AbortSignal,
  ): Promise<void> {
    // After its end, its timers are set and its webhooks are queued.
    const expected = { status: SUCCESSFUL, ended: true, ...request, times: { min: waitFor } };
    await this.requests.verify(expected, { timeout }, signal, 'finish');
    await this.clock.advance('idle');
  }

  get redactedState(): StateView {
    const { accounts, redactor } = this.#context;
    const others = this.id === undefined ? accounts.map(({ values }) => values) : [];
    return new StateView(this.values, redactor, others);
  }

  /** Requests and attempts that begin or end from now on, and all other changes. */
  follow(options: FeedOptions, signal: AbortSignal): AsyncIterable<JournalBatch> {
    return this.#context.feed.read({ ...options, account: this.id }, signal);
  }

  get unused(): Unused {
    return {
      account: this.id,
      responses: this.responses.unused,
      webhooks: this.webhookScript.value ?? [],
    };
  }

  async verifyUsed(): Promise<void> {
    const { verifyUsed } = await import('../verify/verify.ts');
    const { accounts, redactor } = this.#context;
    const others = this.id === undefined ? accounts : [];
    verifyUsed(
      [this, ...others].map(({ unused }) => unused),
      this.id,
      redactor,
    );
  }

  /** Tells readers of the feed that everything may have changed. */
  announce(): void {
    const events = Object.values(this.remembered).flatMap(({ event }) => event ?? []);
    for (const event of [...events, 'accounts', 'prompts', 'requests']) {
      this.#context.feed.change(event);
    }
  }

  save(): SavedAccount {
    const saved = Object.entries(this.remembered).map(([name, thing]) => [name, thing.save()]);
    return Object.fromEntries(saved.filter(([, json]) => json !== undefined));
  }

  /** Begins what a snapshot gave it, now that requests can use it. */
  begin(): void {
    this.tokens.begin();
    this.clock.begin();
    this.webhookQueue.begin();
  }

  /**
   * Ends it, because it was reset, removed or replaced. Handlers that still run cannot set timers,
   * and nobody reads the state that they write.
   */
  discard(): void {
    this.clock.close();
    this.tokens.close();
    this.webhookQueue.drop();
    this.secrets.forget();
  }
}
