import { closed, MomoMockError } from '../errors.ts';
import type { AccountOptions } from './account-options.ts';
import { type Answer, errorAnswer } from './answer.ts';
import { randomKey } from './api-key.ts';
import type { PreparedCallback } from './callbacks/callback.ts';
import type { ScriptedCallback } from './callbacks/callback-script.ts';
import { Callbacks, type SendCallback } from './callbacks/callbacks.ts';
import type { ClockState } from './clock/clock.ts';
import type { ClockChange } from './clock/clock-change.ts';
import type { TimerListeners } from './clock/timer-runner.ts';
import { givenBalance } from './given-body.ts';
import type { Handler } from './handler.ts';
import {
  type CallbackEntry,
  type JournalEntry,
  type RequestDetails,
  StoredRecord,
  shown,
  shownDetails,
} from './journal/entry.ts';
import { Feed, type FeedOptions, type JournalBatch } from './journal/feed.ts';
import {
  type CallbacksOptions,
  DEFAULT_LIMIT,
  DEFAULT_TIMEOUT,
  type Filter,
  type RequestsOptions,
} from './journal/filter.ts';
import { type Found, Journal, type Journals } from './journal/journal.ts';
import type { AttemptRecord, RecordKind } from './journal/record.ts';
import { Tally } from './journal/tally.ts';
import { Turns } from './journal/turns.ts';
import { LocalScopes } from './local-scopes.ts';
import { checkVariant, type FixtureTree, findOperation, type Operation } from './operation.ts';
import type { RateLimit } from './rate-limit.ts';
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
import type { Account, Configured, ScopeId, Store } from './store/store.ts';
import type { Expected, ExpectedCallbacks, VerifyOptions } from './verify/expectation.ts';
import type { VerifyRequest } from './verify/verify.ts';

/** The start state of a mock. */
export interface MockOptions {
  /** What remembers all of it. */
  readonly store: Store;
  /** The variant of accounts without their own. */
  readonly variant?: string | undefined;
  readonly tree: FixtureTree;
  /** The maximum number of requests in the journal. */
  readonly journalSize: number;
  /** The maximum size of the requests in the journal, in bytes. @default no limit */
  readonly journalBytes?: number;
  /** @default a new one */
  readonly redactor?: Redactor;
  /** Sends callbacks. @default refuses each of them */
  readonly sendCallback?: SendCallback;
  /**
   * Is called with the error of a timer that a handler set, and where. Returns what happened, and the
   * place of the error in the user's fixtures, if it has one.
   *
   * @default ignores the error
   */
  readonly onTimerError?: TimerListeners['onError'];
  /** How long `advance` waits for the promise of a handler's timer, in ms. @default no limit */
  readonly longestTimer?: number;
}

const UNKNOWN_CAUSE = () => ({ place: undefined, cause: 'it threw an error' });

/**
 * The mock server without the network: accounts, responses and the journal, and what a test can
 * configure and query of them. With a key, a call is about one account; without a key, about the
 * whole service. Callers check the input of a test first. The other checks run before anything is
 * changed. What only some calls need is loaded for the first of them.
 * A `signal` is aborted when the caller does not wait any more. A call with a key throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN` if no account has it.
 */
export class Mock {
  /** What is remembered of the accounts and of the service. */
  readonly store: Store;
  /** What of them is of this process: clocks, and the way to their state. */
  readonly scopes: LocalScopes;
  /** The newest requests that were received, and the newest attempts of callbacks. */
  readonly journals: Journals;
  /** Counts the outcomes of all requests, including those that the journal dropped. */
  readonly tally = new Tally();
  /** Calls the application under test. */
  readonly callbacks: Callbacks;
  /** Publishes what happens. */
  readonly feed: Feed;
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
    const { store, variant, tree, journalSize, journalBytes, redactor = new Redactor() } = options;
    const { onTimerError: onError = UNKNOWN_CAUSE, longestTimer: longest } = options;
    this.redactor = redactor;
    this.#variant = variant;
    this.store = store;
    this.feed = new Feed(redactor, this.turns);
    this.scopes = new LocalScopes({
      store,
      startState: new StartState(() => this.tree.state),
      timers: { onChange: () => this.feed.change('clock'), onError, longest },
    });
    const { turns, feed } = this;
    const kept = { size: journalSize, bytes: journalBytes, redactor, turns, feed };
    this.journals = { requests: new Journal(kept), callbacks: new Journal(kept) };
    store.follow({
      ...this.scopes.follower((id) => this.callbacks.reset(id)),
      journals: this.journals,
      ended: (record) => this.tally.count(record),
      changed: (change) => this.feed.change(change),
      send: (id) => this.#send(id),
      replaced: () => {
        this.callbacks.reset();
        this.scopes.reset(undefined);
        this.feed.end();
      },
    });
    const timersOf = (id: ScopeId) => this.scopes.of(id).clock;
    this.callbacks = new Callbacks({ store, redactor, timersOf, send: options.sendCallback });
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
    this.callbacks.close();
    this.journals.requests.close();
    this.journals.callbacks.close();
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
    return await this.store.add({ key, variant, balance: start, state: values });
  }

  /** Removes an account and drops its callbacks. Its key is invalid from now on. */
  async removeAccount(key: string): Promise<void> {
    const account = await this.#account(key);
    await this.store.remove(account);
  }

  /** Restores the start state of an account, or of the whole service with all its accounts. */
  async reset(key: string | undefined): Promise<void> {
    const id = await this.#id(key);
    await this.store.reset(id);
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
  }

  /** Sets the rate limit, which counts from now on; `undefined` removes the set one. */
  async setRateLimit(key: string | undefined, limit: RateLimit | undefined): Promise<void> {
    await this.store.change(await this.#id(key), { rateLimit: limit ?? null });
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
  }

  /**
   * Removes a scripted response.
   *
   * @param position its place in {@link responses}, from 0
   * @returns whether there was one
   */
  async removeScript(key: string | undefined, position: number): Promise<boolean> {
    return await this.store.change(await this.#id(key), { without: position });
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

  /** The requests that were received. The default of `limit` is 1000, or `waitFor` if that is more. */
  async requests(
    key: string | undefined,
    options: RequestsOptions,
    signal?: AbortSignal,
  ): Promise<Found<JournalEntry>> {
    return await this.#search(this.journals.requests, key, options, signal);
  }

  /** The request with an id, and the response to it; `undefined` if the journal has none. */
  async request(key: string | undefined, id: number): Promise<RequestDetails | undefined> {
    const account = await this.#id(key);
    await this.store.synced();
    const record = this.journals.requests.get(id, account);
    return record && shownDetails(record, this.redactor);
  }

  /** Empties a journal. */
  async clear(kind: RecordKind, key: string | undefined): Promise<void> {
    await this.store.empty(kind, await this.#id(key));
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
    await this.#verify('requests', key, { expected, ...options, signal });
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
    return await this.#search(this.journals.callbacks, key, options, signal, { ended: true });
  }

  /** Verifies that the attempts of callbacks are as expected, as {@link verify}. */
  async verifyCallbacks(
    key: string | undefined,
    expected: ExpectedCallbacks,
    options: VerifyOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#verify('callbacks', key, { expected, ...options, signal });
  }

  /** Sends a callback now, as {@link Callbacks.send}. */
  async sendCallback(key: string | undefined, callback: PreparedCallback) {
    return await this.callbacks.send(callback, await this.#id(key));
  }

  /**
   * Makes one more attempt of a callback, immediately.
   *
   * @param id the id of one of its attempts
   * @returns the new attempt when it has ended; `undefined` if the journal has none with this id
   */
  async sendAgain(key: string | undefined, id: number): Promise<CallbackEntry | undefined> {
    const account = await this.#id(key);
    await this.store.synced();
    if (this.journals.callbacks.get(id, account) === undefined) return undefined;
    const made = await this.store.sendAgain(id);
    const record = made === undefined ? undefined : this.journals.callbacks.get(made);
    return record && (shown(record, this.redactor) as CallbackEntry);
  }

  /** Scripts what happens to the next callbacks, in place of what was scripted before. */
  async scriptCallbacks(
    key: string | undefined,
    script: readonly ScriptedCallback[],
  ): Promise<void> {
    await this.store.change(await this.#id(key), { callbacks: script });
  }

  /**
   * What happens from now on: requests and attempts that begin and end, and all other changes.
   */
  async follow(
    key: string | undefined,
    options: FeedOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<JournalBatch>> {
    const own = { ...options, account: await this.#id(key) };
    await this.store.synced();
    return this.feed.read(own, signal);
  }

  /** The state of handlers. Configured keys in it are redacted. */
  async state(key: string | undefined): Promise<ShownState> {
    return shownState(this.scopes.of(await this.#id(key)).state, this.redactor);
  }

  /** What a clock tells about itself. */
  async clock(key: string | undefined): Promise<ClockState & { readonly lost?: number }> {
    const id = await this.#id(key);
    const lost = await this.store.lost();
    return { ...this.scopes.of(id).clock.state, ...(lost !== undefined && { lost }) };
  }

  /**
   * Freezes and moves the clock of an account, or of the service with those of all accounts.
   * Resolves when everything that came due has run.
   *
   * @returns how many processes did not say that they have run it
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if the clock would pass the end of the year
   *   9999, `MOMO_MOCK_TIMER_FAILED`
   */
  async changeClock(key: string | undefined, { freeze, advance }: ClockChange): Promise<number> {
    const id = await this.#id(key);
    if (advance !== undefined) this.scopes.of(id).clock.checkAdvance(advance);
    if (freeze !== undefined) {
      await this.store.freeze(id, freeze, this.scopes.of(undefined).clock.systemTime());
    }
    return advance === undefined ? 0 : await this.store.advance(id, advance);
  }

  /**
   * The entries of a journal that match a filter, when there are enough.
   *
   * @param counted what an entry must match, beside the filter, to count for `waitFor`
   */
  async #search<Entry extends JournalEntry | CallbackEntry>(
    journal: Journal<Entry>,
    key: string | undefined,
    options: Filter & Pick<RequestsOptions, 'waitFor' | 'timeout'>,
    signal?: AbortSignal,
    counted?: Filter,
  ): Promise<Found<Entry>> {
    const account = await this.#id(key);
    const { waitFor = 0, timeout = DEFAULT_TIMEOUT, ...filter } = options;
    const limit = filter.limit ?? Math.max(DEFAULT_LIMIT, waitFor);
    await this.store.synced();
    await journal.wait({ ...filter, account, ...counted }, waitFor, timeout, signal);
    if (waitFor > 0 && journal.isClosed) throw closed();
    // What was waited for is in each process from now on.
    if (waitFor > 0) await this.store.synced();
    return await journal.read({ ...filter, account, limit }, signal);
  }

  async #verify(
    kind: RecordKind,
    key: string | undefined,
    what: Pick<VerifyRequest, 'expected' | 'timeout' | 'signal'>,
  ): Promise<void> {
    const { verifyEntries } = await import('./verify/verify.ts');
    const account = await this.#id(key);
    await this.store.synced();
    const { redactor } = this;
    await verifyEntries({ kind, journal: this.journals[kind], redactor, account, ...what });
  }

  /** Sends a callback of this process again. Returns the id of the new attempt. */
  async #send(id: number): Promise<number | undefined> {
    const record = this.journals.callbacks.get(id);
    const attempt = record instanceof StoredRecord ? record.attempt : (record as AttemptRecord);
    const made = attempt && (await this.callbacks.sendAgain(attempt));
    // A store outside of the process says only then which id it has.
    await this.store.synced();
    return made?.id;
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
