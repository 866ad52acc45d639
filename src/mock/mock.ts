import { MomoMockError } from '../errors.ts';
import type { AccountOptions } from './account-options.ts';
import { type Answer, errorAnswer } from './answer.ts';
import { type KeyEntry, randomKey } from './api-key.ts';
import type { CallbackFilter, CallbacksOptions } from './callbacks/callback-filter.ts';
import type { CallbackEntry } from './callbacks/callback-record.ts';
import type { ScriptedCallback } from './callbacks/callback-script.ts';
import { Callbacks, type SendCallback } from './callbacks/callbacks.ts';
import type { ClockState } from './clock/clock.ts';
import type { ClockChange } from './clock/clock-change.ts';
import type { TimerListeners } from './clock/timer-runner.ts';
import { givenBalance } from './given-body.ts';
import type { Handler } from './handler.ts';
import { Feed, type FeedOptions } from './journal/feed.ts';
import { Journal } from './journal/journal.ts';
import type { JournalEntry, RequestDetails } from './journal/journal-entry.ts';
import { type JournalBatch, journalEvents } from './journal/journal-events.ts';
import {
  DEFAULT_LIMIT,
  DEFAULT_TIMEOUT,
  type Filter,
  type RequestsOptions,
} from './journal/journal-filter.ts';
import type { Found, Page, RecordJournal } from './journal/record-journal.ts';
import { Turns } from './journal/turns.ts';
import { LocalScopes } from './local-scopes.ts';
import { checkVariant, type FixtureTree, findOperation, type Operation } from './operation.ts';
import { loggablePath, Redactor } from './redaction/redaction.ts';
import type { ScriptedResponse } from './scripted-response.ts';
import {
  type FixtureDetails,
  operationDetails,
  type ShownOperation,
  shownOperation,
} from './shown-operation.ts';
import { shownScripts } from './shown-script.ts';
import { type ShownState, shownState } from './state/shown-state.ts';
import { readStart } from './state/state-values.ts';
import { StartState } from './state/stored-state.ts';
import { MemoryStore } from './store/memory-store.ts';
import type { Account, Configured, ScopeId, Store } from './store/store.ts';
import type { CallbackExpectation, ExpectedCallbacks } from './verify/callback-expectation.ts';
import type { AnyExpected, Expected, VerifyOptions } from './verify/expectation.ts';

/** What a reset changes, apart from the requests. */
const RESET = ['balance', 'variant', 'responses', 'accounts', 'state', 'clock'] as const;

/** The start state of a mock. */
export interface MockOptions {
  /** The configured keys. */
  readonly keys: readonly KeyEntry[];
  /** The variant of accounts without their own. */
  readonly variant?: string | undefined;
  readonly tree: FixtureTree;
  /** The maximum number of requests in the journal. */
  readonly journalSize: number;
  /**
   * The maximum size of the requests in the journal, in bytes.
   *
   * @default no limit
   */
  readonly journalBytes?: number;
  /** @default a new one */
  readonly redactor?: Redactor;
  /** Sends callbacks. @default refuses each of them */
  readonly sendCallback?: SendCallback;
  /**
   * Is called with the error of a timer that a handler set, and where. Returns the place of the error
   * in the user's fixtures, if it has one.
   *
   * @default ignores the error
   */
  readonly onTimerError?: TimerListeners['onError'];
  /** How long `advance` waits for the promise of a handler's timer, in ms. @default no limit */
  readonly longestTimer?: number;
}

/**
 * The mock server without the network: accounts, responses and the journal, and what a test can
 * configure and query of them. With a key, a call is about one account; without a key, about the
 * whole service. Callers check the input of a test first. The other checks run before anything is
 * changed. What only some calls need is loaded for the first of them.
 *
 * A `signal` is aborted when the caller does not wait any more. A call with a key throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN` if no account has it.
 */
export class Mock {
  /** What is remembered of the accounts and of the service. */
  readonly store: Store;
  /** What of them is of this process: clocks, and the way to their state. */
  readonly scopes: LocalScopes;
  readonly journal: Journal;
  /** Calls the application under test. */
  readonly callbacks: Callbacks;
  /** Publishes what happens. */
  readonly feed = new Feed();
  /** Knows every key that was configured in this process. */
  readonly redactor: Redactor;
  /** Divides the work on the journal and on scripted responses into turns of the event loop. */
  readonly turns = new Turns();
  /** The handlers that tests have set, by the name of their operation. */
  readonly handlers = new Map<string, Handler>();
  /** The served fixture tree. */
  tree: FixtureTree;
  readonly #variant: string | undefined;

  constructor(options: MockOptions) {
    const { keys, variant, tree, journalSize, journalBytes, redactor = new Redactor() } = options;
    const { onTimerError: onError = () => undefined, longestTimer: longest } = options;
    this.redactor = redactor;
    this.#variant = variant;
    this.store = new MemoryStore(keys.map((one) => ({ ...one, variant: one.variant ?? variant })));
    this.scopes = new LocalScopes({
      store: this.store,
      startState: new StartState(() => this.tree.state),
      onStateChange: () => this.feed.change('state'),
      timers: { onChange: () => this.feed.change('clock'), onError, longest },
    });
    for (const { key } of keys) this.redactor.remember(key);
    const { turns, feed } = this;
    const journal = { size: journalSize, bytes: journalBytes, redactor, turns, feed };
    this.journal = new Journal(journal);
    this.callbacks = new Callbacks({
      ...journal,
      send: options.sendCallback,
      take: (account) => this.store.takeCallback(account),
    });
    this.tree = tree;
  }

  /** The served operations. */
  get operations(): readonly Operation[] {
    return this.tree.operations;
  }

  /** An unknown path in the form for the log. */
  loggablePath(segments: readonly string[]): string {
    return loggablePath(segments, (text) => this.redactor.isSecret(text));
  }

  /** Ends all waits, timers and callbacks, and all readers of what happens. */
  close(): void {
    this.scopes.close();
    this.journal.close();
    this.callbacks.close();
    this.feed.close();
  }

  /** The response of `errors/<status>`. */
  error(status: number): Answer {
    return errorAnswer(this.tree.errors, status);
  }

  /**
   * The key of the account with an id.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  async keyOf(id: string): Promise<string> {
    const account = (await this.store.accounts()).find((one) => one.id === id);
    if (account !== undefined) return account.key;
    const text =
      'Failed to find the account: no account has this id. GET /accounts lists the accounts.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }

  /** All accounts by their ids, with the variant that each gets. */
  async shownAccounts(): Promise<{ id: string; variant: string | null }[]> {
    const accounts = await this.store.accounts();
    return accounts.map(({ id, variant, initialVariant }) => {
      return { id, variant: variant ?? initialVariant ?? null };
    });
  }

  /**
   * Makes an account.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_EXISTS`, `MOMO_MOCK_VARIANT_UNKNOWN`,
   *   `MOMO_MOCK_BODY_REJECTED`, `MOMO_MOCK_STATE_INVALID`
   */
  async createAccount(options: AccountOptions): Promise<Account> {
    const { apikey: key = randomKey(), variant = this.#variant, balance, state } = options;
    if (options.variant !== undefined) checkVariant(this.operations, options.variant);
    const values = readStart(state);
    // Before an error about the balance, which may contain the key.
    this.redactor.remember(key);
    const json = balance === undefined ? undefined : Buffer.from(JSON.stringify(balance));
    const start = json && givenBalance(this, json);
    const account = await this.store.add({ key, variant, balance: start, state: values });
    this.feed.change('accounts');
    return account;
  }

  /** Removes an account and drops its callbacks. Its key is invalid from now on. */
  async removeAccount(key: string): Promise<void> {
    const account = await this.#account(key);
    await this.store.remove(account);
    this.scopes.remove(account.id);
    this.callbacks.reset(account.id);
    this.feed.change('accounts');
  }

  /** Restores the start state of an account, or of the whole service with all its accounts. */
  async reset(key: string | undefined): Promise<void> {
    const id = await this.#id(key);
    await this.store.reset(id);
    this.callbacks.reset(id);
    this.scopes.reset(id);
    for (const change of RESET) this.feed.change(change);
    await this.clearRequests(key);
    await this.clearCallbacks(key);
  }

  /** What is configured of an account, or of the whole service. */
  async configured(key: string | undefined): Promise<Configured> {
    return await this.store.get(await this.#id(key));
  }

  /** The balance that was set, if any. Configured keys in it are redacted. */
  async balance(key: string | undefined): Promise<Buffer | undefined> {
    const json = (await this.configured(key)).balance?.body;
    return json && Buffer.from(this.redactor.redactJson(json.toString()));
  }

  /**
   * Sets the balance to the bytes of a JSON body; `undefined` removes the set balance.
   *
   * @throws MomoMockError `MOMO_MOCK_BODY_REJECTED`
   */
  async setBalance(key: string | undefined, json: Buffer | undefined): Promise<void> {
    const id = await this.#id(key);
    await this.store.change(id, { balance: json === undefined ? null : givenBalance(this, json) });
    this.feed.change('balance');
  }

  /**
   * Sets the variant; `undefined` removes the set one, so that the initial variant of each account
   * applies again.
   *
   * @throws MomoMockError `MOMO_MOCK_VARIANT_UNKNOWN`
   */
  async setVariant(key: string | undefined, variant: string | undefined): Promise<void> {
    const id = await this.#id(key);
    if (variant !== undefined) checkVariant(this.operations, variant);
    await this.store.change(id, { variant: variant ?? null });
    this.feed.change('variant');
  }

  /** All operations, and their files. */
  shownOperations(): ShownOperation[] {
    return this.operations.map((operation) => shownOperation(operation, this.tree));
  }

  /**
   * An operation, with the responses of its files.
   *
   * @throws MomoMockError `MOMO_MOCK_OPERATION_UNKNOWN`
   */
  operationDetails(name: string): ShownOperation<FixtureDetails> {
    return operationDetails(findOperation(this.operations, name), this.tree, this.redactor);
  }

  /** The remaining scripted responses. Configured keys in them are redacted. */
  async responses(key: string | undefined): Promise<AsyncIterable<ScriptedResponse>> {
    return shownScripts((await this.configured(key)).scripts, this.redactor, this.turns);
  }

  /**
   * Adds scripted responses after the remaining ones, or replaces the remaining ones.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_OPERATION_UNKNOWN`,
   *   `MOMO_MOCK_BODY_REJECTED`
   */
  async script(
    key: string | undefined,
    given: ScriptedResponse | readonly ScriptedResponse[],
    how: 'replace' | 'append',
  ): Promise<void> {
    const { readScripts } = await import('./read-scripts.ts');
    const id = await this.#id(key);
    const { operations, redactor } = this;
    const scripts = readScripts(given, { isService: id === undefined, operations, redactor });
    await this.store.change(id, how === 'append' ? { more: scripts } : { scripts });
    this.feed.change('responses');
  }

  /**
   * Removes a scripted response.
   *
   * @param position its place in {@link responses}, from 0
   * @returns whether there was one
   */
  async removeScript(key: string | undefined, position: number): Promise<boolean> {
    const isRemoved = await this.store.change(await this.#id(key), { without: position });
    if (isRemoved) this.feed.change('responses');
    return isRemoved;
  }

  /**
   * Verifies that all scripted responses were used, except those with `times: 'always'`.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`
   */
  async verifyScripts(key: string | undefined): Promise<void> {
    const { verifyUsed } = await import('./verify/verify.ts');
    verifyUsed((await this.configured(key)).scripts, this.redactor);
  }

  /**
   * The requests that were received. The default of `limit` is 1000, or `waitFor` if that is more.
   */
  async requests(
    key: string | undefined,
    options: RequestsOptions,
    signal?: AbortSignal,
  ): Promise<Found<JournalEntry>> {
    return await this.#search<Filter, JournalEntry>(this.journal, key, options, signal);
  }

  /** The request with an id, and the response to it; `undefined` if the journal has none. */
  async request(key: string | undefined, id: number): Promise<RequestDetails | undefined> {
    return this.journal.find(id, await this.#id(key));
  }

  /** Empties the journal. */
  async clearRequests(key: string | undefined): Promise<void> {
    this.journal.clear(await this.#id(key));
  }

  /**
   * Verifies that the received requests are as expected.
   *
   * @throws NotVerifiedError `MOMO_MOCK_NOT_VERIFIED`
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if an expectation contains a secret, which the
   *   journal does not show
   */
  async verify(
    key: string | undefined,
    expected: Expected,
    options: VerifyOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const [{ verifyEntries }, { REQUESTS: subject }] = await Promise.all([
      import('./verify/verify.ts'),
      import('./verify/request-subject.ts'),
    ]);
    const { journal, redactor } = this;
    const account = await this.#id(key);
    await verifyEntries({ journal, subject, redactor, account, expected, ...options, signal });
  }

  /**
   * The attempts of callbacks. Those in flight do not count for `waitFor`. The default of `limit` is
   * 1000, or `waitFor` if that is more.
   */
  async attempts(
    key: string | undefined,
    options: CallbacksOptions,
    signal?: AbortSignal,
  ): Promise<Found<CallbackEntry>> {
    const { journal } = this.callbacks;
    const ended: CallbackFilter = { isEnded: true };
    return await this.#search<CallbackFilter, CallbackEntry>(journal, key, options, signal, ended);
  }

  /** Empties the journal of callbacks. */
  async clearCallbacks(key: string | undefined): Promise<void> {
    this.callbacks.journal.clear(await this.#id(key));
  }

  /**
   * Verifies that the attempts of callbacks are as expected.
   *
   * @throws NotVerifiedError `MOMO_MOCK_NOT_VERIFIED`
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if an expectation contains a secret, which the
   *   journal does not show
   */
  async verifyCallbacks(
    key: string | undefined,
    expected: ExpectedCallbacks,
    options: VerifyOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const [{ verifyEntries }, { CALLBACKS: subject }] = await Promise.all([
      import('./verify/verify.ts'),
      import('./verify/callback-subject.ts'),
    ]);
    await verifyEntries({
      journal: this.callbacks.journal,
      subject,
      redactor: this.redactor,
      account: await this.#id(key),
      expected: expected as AnyExpected<CallbackExpectation>,
      ...options,
      signal,
    });
  }

  /**
   * Makes one more attempt of a callback, immediately.
   *
   * @param id the id of one of its attempts
   * @returns the new attempt when it has ended; `undefined` if the journal has none with this id
   */
  async sendAgain(key: string | undefined, id: number): Promise<CallbackEntry | undefined> {
    return await this.callbacks.sendAgain(id, await this.#id(key));
  }

  /** What happens to the next callbacks, as it was scripted. */
  async callbackScript(key: string | undefined): Promise<readonly ScriptedCallback[]> {
    return (await this.configured(key)).callbacks;
  }

  /** Scripts what happens to the next callbacks, in place of what was scripted before. */
  async scriptCallbacks(
    key: string | undefined,
    script: readonly ScriptedCallback[],
  ): Promise<void> {
    await this.store.change(await this.#id(key), { callbacks: script });
    this.feed.change('callbacks');
  }

  /**
   * What happens from now on: requests and attempts of callbacks that begin and end, and changes of
   * everything else.
   *
   */
  async follow(
    key: string | undefined,
    options: FeedOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<JournalBatch>> {
    const { feed, journal, callbacks, redactor, turns } = this;
    const account = await this.#id(key);
    const batches = feed.read(options, [journal.all, callbacks.journal.all], signal);
    return journalEvents(batches, { account, redactor, turns });
  }

  /** The state of handlers. Configured keys in it are redacted. */
  async state(key: string | undefined): Promise<ShownState> {
    return shownState(this.scopes.of(await this.#id(key)).state, this.redactor);
  }

  /** What a clock tells about itself. */
  async clock(key: string | undefined): Promise<ClockState> {
    return this.scopes.of(await this.#id(key)).clock.state;
  }

  /**
   * Freezes and moves the clock of an account, or of the service with those of all accounts.
   * Resolves when everything that came due has run.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if the clock would pass the end of the year
   *   9999, `MOMO_MOCK_TIMER_FAILED`
   */
  async changeClock(key: string | undefined, { freeze, advance }: ClockChange): Promise<void> {
    const { clock } = this.scopes.of(await this.#id(key));
    if (advance !== undefined) clock.checkAdvance(advance);
    if (freeze !== undefined) clock.freeze(freeze);
    if (advance !== undefined) await clock.advance(advance);
  }

  /**
   * The entries of a journal that match a filter, when there are enough.
   *
   * @param counted what an entry must match, beside the filter, to count for `waitFor`
   */
  async #search<Options extends Page, Entry>(
    journal: Pick<RecordJournal<never, Options & Pick<Filter, 'account'>, Entry>, 'wait' | 'read'>,
    key: string | undefined,
    options: Options & Pick<RequestsOptions, 'waitFor' | 'timeout'>,
    signal?: AbortSignal,
    counted: Partial<Options> = {},
  ): Promise<Found<Entry>> {
    const account = await this.#id(key);
    const { waitFor = 0, timeout = DEFAULT_TIMEOUT, ...filter } = options;
    const limit = filter.limit ?? Math.max(DEFAULT_LIMIT, waitFor);
    const own = { ...filter, ...(account !== undefined && { account }) } as Options;
    await journal.wait({ ...own, ...counted }, waitFor, timeout, signal);
    return await journal.read({ ...own, limit }, signal);
  }

  /** The id of an account; `undefined` for the whole service, whose journal is that of all. */
  async #id(key: string | undefined): Promise<ScopeId> {
    return key === undefined ? undefined : (await this.#account(key)).id;
  }

  async #account(key: string): Promise<Account> {
    const account = await this.store.find(key);
    if (account !== undefined) return account;
    const text =
      'Failed to find the account: no account has this key. Make an account with it, or use another key.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }
}
