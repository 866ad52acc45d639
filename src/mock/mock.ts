import { MomoMockError } from '../errors.ts';
import type { AccountOptions } from './account-options.ts';
import { Account, Accounts, type KeyEntry } from './accounts.ts';
import { type Answer, errorAnswer } from './answer.ts';
import type { CallbackFilter, CallbacksOptions } from './callbacks/callback-filter.ts';
import type { CallbackEntry } from './callbacks/callback-record.ts';
import type { ScriptedCallback } from './callbacks/callback-script.ts';
import { Callbacks, type SendCallback } from './callbacks/callbacks.ts';
import type { ClockChange } from './clock/clock-change.ts';
import type { ClockState } from './clock/clock-time.ts';
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
import { checkVariant, type FixtureTree, findOperation, type Operation } from './operation.ts';
import { loggablePath, Redactor } from './redaction/redaction.ts';
import { Scope } from './scope.ts';
import type { ScriptedResponse } from './scripted-response.ts';
import {
  type FixtureDetails,
  operationDetails,
  type ShownOperation,
  shownOperation,
} from './shown-operation.ts';
import { shownScripts } from './shown-script.ts';
import { type ShownState, shownState } from './state/shown-state.ts';
import { StartLayer } from './state/state-layer.ts';
import { readStart } from './state/state-values.ts';
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
 * A call with a key throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN` if no account has it.
 */
export class Mock {
  readonly accounts: Accounts;
  readonly journal: Journal;
  /** Calls the application under test. */
  readonly callbacks: Callbacks;
  /** Publishes what happens. */
  readonly feed = new Feed();
  /** Knows every key that was configured in this process. */
  readonly redactor: Redactor;
  /** Divides the work on the journal and on scripted responses into turns of the event loop. */
  readonly turns = new Turns();
  /** The scope of the whole service. */
  readonly service: Scope;
  /** The handlers that tests have set, by the name of their operation. */
  readonly handlers = new Map<string, Handler>();
  /** The served fixture tree. */
  tree: FixtureTree;

  constructor(options: MockOptions) {
    const { keys, variant, tree, journalSize, journalBytes, redactor = new Redactor() } = options;
    const { onTimerError: onError = () => undefined, longestTimer: longest } = options;
    this.redactor = redactor;
    this.service = new Scope({
      startState: new StartLayer(() => this.tree.state),
      onStateChange: () => this.feed.change('state'),
      timers: { onChange: () => this.feed.change('clock'), onError, longest },
    });
    this.accounts = new Accounts(keys, variant, this.service);
    for (const { key } of keys) this.redactor.remember(key);
    const { turns, feed } = this;
    const journal = { size: journalSize, bytes: journalBytes, redactor, turns, feed };
    this.journal = new Journal(journal);
    this.callbacks = new Callbacks({ ...journal, send: options.sendCallback });
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
    this.service.close();
    this.journal.close();
    this.callbacks.close();
    this.feed.close();
  }

  /** The response of `errors/<status>`. */
  error(status: number): Answer {
    return errorAnswer(this.tree.errors, status);
  }

  /** The id of an account; `undefined` for the whole service. */
  accountId(key: string | undefined): string | undefined {
    const scope = this.#scope(key);
    return scope instanceof Account ? scope.id : undefined;
  }

  /**
   * The key of the account with an id.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  keyOf(id: string): string {
    const key = this.accounts.keyOf(id);
    if (key !== undefined) return key;
    const text =
      'Failed to find the account: no account has this id. GET /accounts lists the accounts.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }

  /** All accounts by their ids, with the variant that each gets. */
  shownAccounts(): { id: string; variant: string | null }[] {
    return Array.from(this.accounts.all, ({ id, shownVariant }) => {
      return { id, variant: shownVariant };
    });
  }

  /**
   * Makes an account.
   *
   * @returns its key
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_EXISTS`, `MOMO_MOCK_VARIANT_UNKNOWN`,
   *   `MOMO_MOCK_BODY_REJECTED`, `MOMO_MOCK_STATE_INVALID`
   */
  createAccount({ apikey, variant, balance, state }: AccountOptions): string {
    if (variant !== undefined) checkVariant(this.operations, variant);
    readStart(state);
    // Before an error about the balance, which may contain the key.
    if (apikey !== undefined) this.redactor.remember(apikey);
    const json = balance === undefined ? undefined : Buffer.from(JSON.stringify(balance));
    const start = json && givenBalance(this, json);
    const key = this.accounts.create(apikey, variant);
    this.redactor.remember(key);
    if (start !== undefined) this.#scope(key).startWith(start);
    if (state !== undefined) this.#scope(key).state.startWith(state);
    this.feed.change('accounts');
    return key;
  }

  /** Removes an account and drops its callbacks. Its key is invalid from now on. */
  removeAccount(key: string): void {
    this.callbacks.reset(this.accountId(key));
    this.accounts.remove(key);
    this.feed.change('accounts');
  }

  /** Restores the start state of an account, or of the whole service with all its accounts. */
  reset(key: string | undefined): void {
    const scope = this.#scope(key);
    this.callbacks.reset(this.accountId(key));
    scope.reset();
    if (!(scope instanceof Account)) this.accounts.reset();
    for (const change of RESET) this.feed.change(change);
    this.clearRequests(key);
    this.clearCallbacks(key);
  }

  /** The balance that was set, if any. Configured keys in it are redacted. */
  balance(key: string | undefined): Buffer | undefined {
    const json = this.#scope(key).balance?.body;
    return json && Buffer.from(this.redactor.redactJson(json.toString()));
  }

  /**
   * Sets the balance to the bytes of a JSON body; `undefined` removes the set balance.
   *
   * @throws MomoMockError `MOMO_MOCK_BODY_REJECTED`
   */
  setBalance(key: string | undefined, json: Buffer | undefined): void {
    const scope = this.#scope(key);
    scope.balance = json && givenBalance(this, json);
    this.feed.change('balance');
  }

  /** The variant that was set, if any. */
  variant(key: string | undefined): string | undefined {
    return this.#scope(key).variant;
  }

  /**
   * Sets the variant; `undefined` removes the set one, so that the initial variant of each account
   * applies again.
   *
   * @throws MomoMockError `MOMO_MOCK_VARIANT_UNKNOWN`
   */
  setVariant(key: string | undefined, variant: string | undefined): void {
    const scope = this.#scope(key);
    if (variant !== undefined) checkVariant(this.operations, variant);
    scope.variant = variant;
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
  responses(key: string | undefined): AsyncIterable<ScriptedResponse> {
    return shownScripts(this.#scope(key).scripts, this.redactor, this.turns);
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
    const scope = this.#scope(key);
    const before = how === 'append' ? scope.scripts : [];
    const { operations, redactor } = this;
    const isService = !(scope instanceof Account);
    const scripts = readScripts(given, { left: before.length, isService, operations, redactor });
    scope.scripts = [...before, ...scripts];
    this.feed.change('responses');
  }

  /**
   * Removes a scripted response.
   *
   * @param position its place in {@link responses}, from 0
   * @returns whether there was one
   */
  removeScript(key: string | undefined, position: number): boolean {
    const scope = this.#scope(key);
    if (scope.scripts[position] === undefined) return false;
    scope.scripts = scope.scripts.toSpliced(position, 1);
    this.feed.change('responses');
    return true;
  }

  /**
   * Verifies that all scripted responses were used, except those with `times: 'always'`.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`
   */
  async verifyScripts(key: string | undefined): Promise<void> {
    const { verifyUsed } = await import('./verify/verify.ts');
    verifyUsed(this.#scope(key).scripts, this.redactor);
  }

  /**
   * The requests that were received. The default of `limit` is 1000, or `waitFor` if that is more.
   *
   * @param signal aborted when the caller does not need the result any more
   */
  async requests(
    key: string | undefined,
    options: RequestsOptions,
    signal?: AbortSignal,
  ): Promise<Found<JournalEntry>> {
    return await this.#search<Filter, JournalEntry>(this.journal, key, options, signal);
  }

  /** The request with an id, and the response to it; `undefined` if the journal has none. */
  request(key: string | undefined, id: number): RequestDetails | undefined {
    return this.journal.find(id, this.accountId(key));
  }

  /** Empties the journal. */
  clearRequests(key: string | undefined): void {
    this.journal.clear(this.accountId(key));
  }

  /**
   * Verifies that the received requests are as expected.
   *
   * @param signal aborted when the caller does not wait any more
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
    const account = this.accountId(key);
    await verifyEntries({ journal, subject, redactor, account, expected, ...options, signal });
  }

  /**
   * The attempts of callbacks. Those in flight do not count for `waitFor`. The default of `limit` is
   * 1000, or `waitFor` if that is more.
   *
   * @param signal aborted when the caller does not need the result any more
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
  clearCallbacks(key: string | undefined): void {
    this.callbacks.journal.clear(this.accountId(key));
  }

  /**
   * Verifies that the attempts of callbacks are as expected.
   *
   * @param signal aborted when the caller does not wait any more
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
      account: this.accountId(key),
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
    return await this.callbacks.sendAgain(id, this.accountId(key));
  }

  /** What happens to the next callbacks, as it was scripted. */
  callbackScript(key: string | undefined): readonly ScriptedCallback[] {
    return this.callbacks.scripts.get(this.accountId(key));
  }

  /** Scripts what happens to the next callbacks, in place of what was scripted before. */
  scriptCallbacks(key: string | undefined, script: readonly ScriptedCallback[]): void {
    this.callbacks.scripts.set(script, this.accountId(key));
    this.feed.change('callbacks');
  }

  /**
   * What happens from now on: requests and attempts of callbacks that begin and end, and changes of
   * everything else.
   *
   * @param signal aborted when the caller stops
   */
  follow(
    key: string | undefined,
    options: FeedOptions,
    signal: AbortSignal,
  ): AsyncIterable<JournalBatch> {
    const { feed, journal, callbacks, redactor, turns } = this;
    const account = this.accountId(key);
    const batches = feed.read(options, [journal.all, callbacks.journal.all], signal);
    return journalEvents(batches, { account, redactor, turns });
  }

  /** The state of handlers. Configured keys in it are redacted. */
  state(key: string | undefined): ShownState {
    return shownState(this.#scope(key).state, this.redactor);
  }

  /** What a clock tells about itself. */
  clock(key: string | undefined): ClockState {
    return this.#scope(key).clock.state;
  }

  /**
   * Freezes and moves the clock of an account, or of the service with those of all accounts.
   * Resolves when everything that came due has run.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if the clock would pass the end of the year
   *   9999, `MOMO_MOCK_TIMER_FAILED`
   */
  async changeClock(key: string | undefined, { freeze, advance }: ClockChange): Promise<void> {
    const { clock } = this.#scope(key);
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
    const account = this.accountId(key);
    const { waitFor = 0, timeout = DEFAULT_TIMEOUT, ...filter } = options;
    const limit = filter.limit ?? Math.max(DEFAULT_LIMIT, waitFor);
    const own = { ...filter, ...(account !== undefined && { account }) } as Options;
    await journal.wait({ ...own, ...counted }, waitFor, timeout, signal);
    return await journal.read({ ...own, limit }, signal);
  }

  /** The scope of an account, or of the whole service. */
  #scope(key: string | undefined): Scope {
    const scope = key === undefined ? this.service : this.accounts.get(key);
    if (scope !== undefined) return scope;
    const text =
      'Failed to find the account: no account has this key. Make an account with it, or use another key.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }
}
