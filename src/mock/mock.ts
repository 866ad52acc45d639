import { randomBytes, randomUUID } from 'node:crypto';
import { MomoMockError } from '../errors.ts';
import { timeOfDay } from '../timers.ts';
import { Account, type InitialAccount } from './account/account.ts';
import type { AccountContext } from './account/account-context.ts';
import type { MomoAccountOptions } from './account/account-options.ts';
import type { MomoRateLimit } from './account/rate-limit.ts';
import type { Tokens } from './account/tokens.ts';
import type { TimerOptions } from './clock/timer-queue.ts';
import { Counters } from './journal/counters.ts';
import { Feed } from './journal/feed.ts';
import { Journal, type Journals } from './journal/journal.ts';
import { writeJson } from './json/exact-json.ts';
import { MAX_IN_FLIGHT } from './limits.ts';
import { HandledOperations } from './operations/handled-operations.ts';
import { checkVariant, type FixtureTree, type Operation } from './operations/operation.ts';
import type { Redactor } from './redaction/redaction.ts';
import type { KeyRule } from './requests/key-rule.ts';
import type { RequestReason } from './requests/reason.ts';
import type { RequestHeaders, RequestTarget } from './requests/request-target.ts';
import type { Taken } from './responses/decide.ts';
import { givenBalance } from './responses/given-body.ts';
import { checkValues } from './state/check-values.ts';
import { checkState, readValues } from './state/state-values.ts';
import { FailedAttemptCounter, type FailedAttempts } from './webhooks/failed-attempts.ts';
import { Semaphore } from './webhooks/semaphore.ts';
import type { SendWebhook, WebhookSender } from './webhooks/webhook-queue.ts';

interface Taking {
  /** `undefined` without a key that could be valid. */
  readonly key: string | undefined;
  readonly operation: string | undefined;
  /** Whether the request is refused anyway, after the key check. */
  readonly isRefused: boolean;
  readonly isOpen: boolean;
}

/** Who sends a request. */
export type Credentials =
  /** Nothing in it could be valid. */
  | {
      readonly kind: 'none';
      readonly reason: RequestReason;
      readonly key?: never;
      readonly token?: never;
    }
  /** A key, which may belong to no account, and perhaps a token of another account. */
  | { readonly kind: 'key'; readonly key: string; readonly token?: string }
  /** A valid token with its claims as JSON, and the key of its account. */
  | {
      readonly kind: 'token';
      readonly key: string;
      readonly token: string;
      readonly claims: string;
    }
  /** An expired token, and the id of its account. With `bearer` in a list, it has no key besides. */
  | {
      readonly kind: 'expired';
      readonly key: string | undefined;
      readonly token: string;
      readonly account: string | undefined;
    };

export interface MockOptions {
  /** The accounts at startup, and after a reset. */
  readonly configured: readonly InitialAccount[];
  /** It holds for accounts without their own, as `variant` does. */
  readonly rateLimit?: MomoRateLimit | undefined;
  readonly variant?: string | undefined;
  readonly tree: FixtureTree;
  readonly journalSize: number;
  readonly journalBytes: number;
  readonly keyRule: KeyRule;
  readonly redactor: Redactor;
  readonly sendWebhook: SendWebhook;
  readonly onFailedAttempt: (failed: FailedAttempts) => void;
  readonly onTimerError: TimerOptions['onError'];
  readonly maxTimerMs: TimerOptions['maxTimerMs'];
}

/** Accounts by key, and under `undefined` what concerns all accounts. */
export type NewAccounts = ReadonlyMap<string | undefined, Account>;

/** The mock server without the network: accounts, responses and the journals. */
export class Mock implements AccountContext {
  all: Account;
  readonly journals: Journals;
  /** Counts the outcomes of all requests, including those that the journal dropped. */
  readonly counters = new Counters();
  readonly failedAttempts = new FailedAttemptCounter();
  readonly sender: WebhookSender;
  readonly feed: Feed;
  readonly keyRule: KeyRule;
  /** Knows every key that something in the mock may contain. */
  readonly redactor: Redactor;
  readonly timerOptions: TimerOptions;
  tree: FixtureTree;
  readonly #variant: string | undefined;
  readonly #rateLimit: MomoRateLimit | undefined;
  readonly configured: readonly InitialAccount[];
  readonly #byKey = new Map<string, Account>();
  readonly byToken = new Map<string, Tokens>();
  /** What tests handle, by the key of the account; `undefined` for all. No snapshot has functions. */
  readonly handled = new Map<string | undefined, HandledOperations>();
  newestPrompt = 0;
  /** The number in the newest id. No other account gets this id again, so journals stay true. */
  newestAccount = 0;
  /** Names it in its snapshots. */
  readonly id = randomUUID();

  constructor(options: MockOptions) {
    const { tree, journalSize, journalBytes, keyRule, redactor } = options;
    const { onTimerError: onError, maxTimerMs } = options;
    this.tree = tree;
    this.keyRule = keyRule;
    this.redactor = redactor;
    this.#variant = options.variant;
    this.#rateLimit = options.rateLimit;
    this.configured = options.configured;
    this.feed = new Feed(redactor);
    const { counters, feed } = this;
    const journalOptions = { size: journalSize, bytes: journalBytes, redactor, feed, counters };
    this.journals = {
      requests: new Journal({ ...journalOptions, kind: 'requests' }),
      webhooks: new Journal({ ...journalOptions, kind: 'webhooks' }),
    };
    this.timerOptions = { onChange: (what) => feed.change(what ?? 'clock'), onError, maxTimerMs };
    this.sender = {
      send: options.sendWebhook,
      journal: this.journals.webhooks,
      redactor,
      inFlight: new Semaphore(MAX_IN_FLIGHT),
      onFailed: (attempt) => options.onFailedAttempt(this.failedAttempts.add(attempt, redactor)),
      pending: 0,
      pendingBytes: 0,
    };
    this.all = new Account(this);
    this.#put(this.initialAccounts(this.all));
  }

  /** Of the fixture tree, and those that tests handle without a file. */
  get operations(): readonly Operation[] {
    const { operations } = this.tree;
    const inTree = new Set(operations.map(({ identity }) => identity));
    const handled = [...this.handled.values()].flatMap(({ all }) => all);
    const added = handled.filter(({ identity }) => !inTree.has(identity));
    return [...operations, ...new Map(added.map((each) => [each.name, each])).values()];
  }

  /** Sorted by their creation. */
  get accounts(): readonly Account[] {
    return [...this.#byKey.values()];
  }

  get configuredKeys(): readonly string[] {
    return this.configured.map(({ key }) => key);
  }

  /** New accounts at startup, and after a reset. */
  initialAccounts(all = new Account(this)): NewAccounts {
    const configured = this.configured.map((initial, index): [string, Account] => [
      initial.key,
      new Account(this, { id: `account-${index + 1}`, all, initial }),
    ]);
    return new Map([[undefined, all], ...configured]);
  }

  /**
   * Replaces the accounts that have the same keys. With a new `all`, it removes the other accounts
   * too.
   */
  replace(accounts: NewAccounts): void {
    const all = accounts.get(undefined);
    const replaced = all === undefined ? [] : [this.all, ...this.accounts];
    for (const account of replaced) discard(account);
    if (all !== undefined) {
      this.all = all;
      this.#byKey.clear();
      for (const key of this.handled.keys()) if (!accounts.has(key)) this.handled.delete(key);
    }
    this.#put(accounts);
  }

  #put(accounts: NewAccounts): void {
    for (const [key, account] of accounts) {
      if (key === undefined) continue;
      const before = this.#byKey.get(key);
      if (before !== undefined) discard(before);
      this.#byKey.set(key, account);
    }
    for (const { id } of this.accounts)
      this.newestAccount = Math.max(this.newestAccount, numberIn(id));
    for (const account of accounts.values()) account.begin();
    this.all.announce();
  }

  /** Requests that still run may write state, and a snapshot still has the webhooks. */
  close(): void {
    for (const { clock, responses, webhookQueue } of [this.all, ...this.accounts]) {
      responses.close();
      clock.close();
      webhookQueue.close();
    }
    this.journals.requests.close();
    this.journals.webhooks.close();
    this.feed.close();
  }

  /** @param key default: all accounts */
  account(key?: string): Account {
    const account = key === undefined ? this.all : this.#use(key);
    if (account !== undefined) return account;
    const text =
      'Failed to find the account: no account has this key. Create an account with it, or use another key.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }

  /** What tests handle at a path: for the account of a key, then for all accounts. */
  handledAt(method: string, path: string, key: string | undefined): readonly Operation[] {
    const handled = [this.handled.get(key), this.handled.get(undefined)];
    return handled.flatMap((each) => each?.at(method, path) ?? []);
  }

  /** Handles an operation of an account, or of all accounts, until a reset. */
  handle(operation: Operation, { initial }: Account): void {
    const handled = this.handled.get(initial?.key) ?? new HandledOperations(this.tree);
    handled.set(operation);
    this.handled.set(initial?.key, handled);
    this.feed.change('fixtures');
  }

  keyOf(id: string): string {
    for (const [key, account] of this.#byKey) if (account.id === id) return key;
    const text =
      'Failed to find the account: no account has this id. GET /accounts lists the accounts.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }

  /**
   * Reads who sends a request. A token counts only with the key of its account. In a list with
   * `bearer`, it stands for this key.
   */
  credentials(query: RequestTarget['query'], headers: RequestHeaders): Credentials {
    const { key: given, token = '', reason } = this.keyRule.read(query, headers);
    const key = given ?? this.byToken.get(token)?.key;
    if (key === undefined) return { kind: 'none', reason };
    if (!this.byToken.has(token)) return { kind: 'key', key };
    // An account that was removed or replaced may have issued it.
    const account = this.#byKey.get(key);
    const issued = account?.tokens.get(token);
    if (issued === undefined)
      return given === undefined ? { kind: 'none', reason } : { kind: 'key', key, token };
    if (issued.isExpired) return { kind: 'expired', key: given, token, account: account?.id };
    return { kind: 'token', key, token, claims: issued.claims };
  }

  /**
   * Finds the account of a key, and takes the scripted response for a request. With a valid key, the
   * request counts toward the rate limit. An open operation needs no key for the responses of all
   * accounts.
   */
  take({ key, operation, isRefused, isOpen }: Taking): Taken {
    const { all } = this;
    const early = operation === undefined ? undefined : all.responses.take(operation, true);
    if (early !== undefined) return { script: early };
    const account = this.#use(key);
    const limit = account?.rateLimiter.limit ?? all.rateLimiter.limit ?? this.#rateLimit;
    const exceeded = limit && account?.rateLimiter.count(limit);
    const takesNone = isRefused || exceeded !== undefined || operation === undefined;
    if (takesNone || (account === undefined && !isOpen)) return { account, exceeded };
    const script =
      account?.responses.take(operation, false) ?? all.responses.take(operation, false);
    return { account, script };
  }

  createAccount(options: MomoAccountOptions): { readonly id: string; readonly key: string } {
    const { apiKey: key = randomKey(), variant = this.#variant, balance, state } = options;
    if (options.variant !== undefined) checkVariant(this.operations, options.variant);
    const values = state && checkState(readValues(state));
    // During the checks, because their errors may contain the key.
    this.redactor.remember(key);
    try {
      checkValues(this.tree.stateSchema, values ?? [], this.redactor);
      const initialBalance =
        balance === undefined ? undefined : givenBalance(this, writeJson(balance));
      if (this.#byKey.has(key)) {
        const text =
          'Failed to create the account: an account with this key already exists. Use another key, or omit it.';
        throw new MomoMockError('MOMO_MOCK_ACCOUNT_EXISTS', text);
      }
      const id = `account-${++this.newestAccount}`;
      const initial = { key, variant, balance: initialBalance, state: values };
      this.#byKey.set(key, new Account(this, { id, all: this.all, initial }));
      this.feed.change('accounts');
      return { id, key };
    } finally {
      this.redactor.forget(key);
    }
  }

  removeAccount(account: Account): void {
    discard(account);
    this.#byKey.delete(account.initial?.key ?? '');
    this.handled.delete(account.initial?.key);
    this.feed.change('accounts');
  }

  /** Restores the initial state of an account; of all accounts, with only the configured ones. */
  reset(account: Account): void {
    const { all } = this;
    const { id = '', initial } = account;
    if (initial === undefined) {
      this.handled.clear();
      this.replace(this.initialAccounts());
    } else {
      this.handled.delete(initial.key);
      this.replace(new Map([[initial.key, new Account(this, { id, all, initial })]]));
    }
    account.requests.clear();
    account.webhooks.clear();
  }

  #use(key: string | undefined): Account | undefined {
    const account = key === undefined ? undefined : this.#byKey.get(key);
    if (account !== undefined) account.lastUsed = timeOfDay();
    return account;
  }
}

function randomKey(): string {
  return `momo_test_${randomBytes(18).toString('base64url')}`;
}

/** @param id such as `account-2` */
export function numberIn(id = ''): number {
  return Number(id.replace('account-', ''));
}

/** Ends an account that requests could use. */
function discard(account: Account): void {
  account.responses.close();
  account.discard();
}
