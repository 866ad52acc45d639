import { MomoMockError } from '../errors.ts';
import type { AccountOptions } from './account-options.ts';
import { randomKey } from './api-key.ts';
import { Callbacks, type SendCallback } from './callbacks/callbacks.ts';
import type { TimerOptions } from './clock/timer-queue.ts';
import { writeJson } from './exact-json.ts';
import { givenBalance } from './given-body.ts';
import type { Handler } from './handler.ts';
import { Counters } from './journal/counters.ts';
import { Feed } from './journal/feed.ts';
import { Journal, type Journals } from './journal/journal.ts';
import { AttemptRecord, StoredRecord } from './journal/record.ts';
import type { KeyRule } from './key-rule.ts';
import { checkVariant, type FixtureTree, findOperation, type Operation } from './operation.ts';
import {
  type FixtureDetails,
  type OperationSummary,
  operationDetails,
  operationSummary,
} from './operation-summary.ts';
import type { Redactor } from './redaction/redaction.ts';
import type { ScopeContext } from './scope/context.ts';
import type { Scope } from './scope/scope.ts';
import { Scopes } from './scope/scopes.ts';
import { readStart } from './state/state-values.ts';
import type { Account, Store } from './store/store.ts';

export interface MockOptions {
  readonly store: Store;
  /** The variant of accounts without their own. */
  readonly variant?: string | undefined;
  readonly tree: FixtureTree;
  /** The maximum number of requests in the journal. */
  readonly journalSize: number;
  /** The maximum size of the requests in the journal, in bytes. */
  readonly journalBytes: number;
  readonly keyRule: KeyRule;
  readonly redactor: Redactor;
  readonly sendCallback: SendCallback;
  /**
   * Called with the error of a handler's timer, and the place where the handler set it. Returns the
   * cause and, if known, the place of the error in the user's fixtures.
   */
  readonly onTimerError: TimerOptions['onError'];
  /** How long `advance` waits for the promise of a handler's timer, in ms. */
  readonly maxTimerMs: number;
}

/**
 * The mock server without the network: accounts, responses and the journals. Tests configure and query
 * one account, or the whole service, through {@link Mock.scope}.
 */
export class Mock implements ScopeContext {
  readonly store: Store;
  readonly scopes: Scopes;
  readonly journals: Journals;
  /** Counts the outcomes of all requests, including those that the journal dropped. */
  readonly counters = new Counters();
  readonly callbacks: Callbacks;
  readonly feed: Feed;
  readonly keyRule: KeyRule;
  /** Knows every key that was configured in this process. */
  readonly redactor: Redactor;
  /** The handlers that tests have set, by the name of their operation. */
  readonly handlers = new Map<string, Handler>();
  readonly timerOptions: TimerOptions;
  /** The served fixture tree. */
  tree: FixtureTree;
  readonly #variant: string | undefined;

  constructor(options: MockOptions) {
    const { store, variant, tree, journalSize, journalBytes, keyRule, redactor } = options;
    const { onTimerError: onError, maxTimerMs } = options;
    this.tree = tree;
    this.keyRule = keyRule;
    this.redactor = redactor;
    this.#variant = variant;
    this.store = store;
    const feed = new Feed(redactor);
    this.feed = feed;
    const journalOptions = { size: journalSize, bytes: journalBytes, redactor, feed };
    this.journals = {
      requests: new Journal(journalOptions),
      callbacks: new Journal(journalOptions),
    };
    this.timerOptions = { onChange: () => feed.change('clock'), onError, maxTimerMs };
    const scopes = new Scopes(this);
    this.scopes = scopes;
    const callbacks = new Callbacks({
      store,
      redactor,
      timersOf: (id) => scopes.of(id).clock,
      send: options.sendCallback,
    });
    this.callbacks = callbacks;
    store.listen({
      journals: this.journals,
      ended: (record) => this.counters.count(record),
      changed: (change) => feed.change(change),
      learned: (secret) => redactor.remember(secret),
      reset: (id) => {
        callbacks.reset(id);
        scopes.reset(id);
      },
      removed: (id) => {
        scopes.remove(id);
        callbacks.reset(id);
      },
      moved: (id) => scopes.of(id).clock.moved(),
      advance: (id, by) => scopes.of(id).clock.advance(by),
      advanced: (id) => scopes.of(id).clock.settle(),
      send: (id) => this.#send(id),
      pending: () => scopes.service.clock.state.pending,
      replaced: () => {
        callbacks.reset();
        scopes.reset(undefined);
        feed.end();
      },
    });
  }

  get operations(): readonly Operation[] {
    return this.tree.operations;
  }

  /** Ends all waits, timers, callbacks and event streams. */
  close(): void {
    this.scopes.close();
    this.callbacks.close();
    this.journals.requests.close();
    this.journals.callbacks.close();
    this.feed.close();
  }

  /**
   * The account of a key, or the whole service.
   *
   * @param key default: the whole service
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  async scope(key?: string): Promise<Scope> {
    if (key === undefined) return this.scopes.service;
    const account = await this.store.find(key);
    if (account !== undefined) return this.scopes.of(account.id);
    const text =
      'Failed to find the account: no account has this key. Create an account with it, or use another key.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }

  /** @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN` */
  async keyOf(id: string): Promise<string> {
    const account = (await this.store.accounts()).find((account) => account.id === id);
    if (account !== undefined) return account.key;
    const text =
      'Failed to find the account: no account has this id. GET /accounts lists the accounts.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }

  /** All accounts, each with its current variant. */
  async accounts(): Promise<{ id: string; variant: string | null }[]> {
    const accounts = await this.store.accounts();
    return accounts.map(({ id, variant, initialVariant }) => {
      return { id, variant: variant ?? initialVariant ?? null };
    });
  }

  /**
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_EXISTS`, `MOMO_MOCK_VARIANT_UNKNOWN`,
   *   `MOMO_MOCK_BODY_REJECTED`, `MOMO_MOCK_STATE_INVALID`
   */
  async createAccount(options: AccountOptions): Promise<Account> {
    const { apikey: key = randomKey(), variant = this.#variant, balance, state } = options;
    if (options.variant !== undefined) checkVariant(this.operations, options.variant);
    const values = readStart(state);
    // Comes before the check of the balance, whose error may contain the key.
    this.redactor.remember(key);
    const json = balance === undefined ? undefined : Buffer.from(writeJson(balance));
    const initialBalance = json && givenBalance(this, json);
    return await this.store.add({ key, variant, balance: initialBalance, state: values });
  }

  /** Removes an account and drops its callbacks. Its key is invalid from now on. */
  async removeAccount(id: string): Promise<void> {
    await this.store.remove({ id });
  }

  /** All operations, and their files. */
  operationSummaries(): OperationSummary[] {
    return this.operations.map((operation) => operationSummary(operation, this.tree));
  }

  /**
   * An operation, with the responses of its files.
   *
   * @throws MomoMockError `MOMO_MOCK_OPERATION_UNKNOWN`
   */
  operationDetails(name: string): OperationSummary<FixtureDetails> {
    return operationDetails(findOperation(this.operations, name), this.tree, this.redactor);
  }

  /** Sends a callback of this process again. Returns the id of the new attempt. */
  async #send(id: number): Promise<number | undefined> {
    const record = this.journals.callbacks.get(id);
    const attempt = record instanceof StoredRecord ? record.attempt : record;
    if (!(attempt instanceof AttemptRecord)) return undefined;
    const newAttempt = await this.callbacks.sendAgain(attempt);
    // A shared store assigns the id only when it is in sync.
    await this.store.synced();
    return newAttempt?.id;
  }
}
