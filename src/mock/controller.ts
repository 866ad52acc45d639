import { MomoMockError } from '../errors.ts';
import type { AccountOptions } from './account-options.ts';
import { Account } from './accounts.ts';
import type { Answer } from './answer.ts';
import { check } from './check.ts';
import type { Definition } from './definition.ts';
import type { Expected, VerifyOptions } from './expectation.ts';
import { checkBody } from './given-body.ts';
import type { Received } from './journal.ts';
import { DEFAULT_LIMIT, DEFAULT_TIMEOUT, type RequestsOptions } from './journal-filter.ts';
import type { JournalEntry } from './journal-record.ts';
import type { Mock } from './mock.ts';
import { BALANCE, checkVariant, findOperation } from './operation.ts';
import { readScripts } from './read-scripts.ts';
import type { Scope } from './scope.ts';
import type { ScriptedResponse } from './scripted-response.ts';
import { shownScripts } from './shown-script.ts';
import { verifyRequests, verifyUsed } from './verify.ts';

/**
 * Everything that a test can configure and query, for the library and the control API. With a key,
 * a call applies to one account; without a key, to the whole service. Callers first check the input
 * of a test with {@link Controller.check}. The other checks run before anything is changed.
 */
export class Controller {
  readonly #mock: Mock;
  readonly #variant: string | undefined;

  /** @param variant the variant of accounts that name none */
  constructor(mock: Mock, variant: string | undefined) {
    this.#mock = mock;
    this.#variant = variant;
  }

  /**
   * Checks the input of a test against its definition. Errors never repeat an API key.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
   */
  check<Value>(definition: Definition<Value>, value: unknown): Value {
    return check(definition, value, (name) => this.#mock.redactor.isSecret(name));
  }

  /**
   * Sets the balance to the bytes of a JSON body; `undefined` removes the set balance.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`, `MOMO_MOCK_BODY_REJECTED`
   */
  setBalance(key: string | undefined, json: Buffer | undefined): void {
    const scope = this.#scope(key);
    scope.balance = json && this.#balanceOf(json);
  }

  /** The balance that was set, if any. Configured keys in it are redacted. */
  balance(key: string | undefined): Buffer | undefined {
    const json = this.#scope(key).balance?.body;
    return json && Buffer.from(this.#mock.redactor.redactJson(json.toString()));
  }

  /**
   * Adds scripted responses after the remaining ones, or replaces the remaining ones.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`, `MOMO_MOCK_REQUEST_INVALID`,
   *   `MOMO_MOCK_OPERATION_UNKNOWN`, `MOMO_MOCK_BODY_REJECTED`
   */
  script(
    key: string | undefined,
    given: ScriptedResponse | readonly ScriptedResponse[],
    how: 'replace' | 'append',
  ): void {
    const scope = this.#scope(key);
    const before = how === 'append' ? scope.scripts : [];
    const { operations, redactor } = this.#mock;
    const isService = !(scope instanceof Account);
    const scripts = readScripts(given, { left: before.length, isService, operations, redactor });
    scope.scripts = [...before, ...scripts];
  }

  /** The remaining scripted responses. Configured keys in them are redacted. */
  responses(key: string | undefined): AsyncIterable<ScriptedResponse> {
    const { redactor, turns } = this.#mock;
    return shownScripts(this.#scope(key).scripts, redactor, turns);
  }

  /**
   * The requests that were received. The default of `limit` is 1000, or `waitFor` if that is more.
   *
   * @param signal aborted when the caller does not need the result any more
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  async received(
    key: string | undefined,
    options: RequestsOptions,
    signal?: AbortSignal,
  ): Promise<Received> {
    const account = this.#scope(key);
    const { waitFor = 0, timeout = DEFAULT_TIMEOUT, ...filter } = options;
    const limit = filter.limit ?? Math.max(DEFAULT_LIMIT, waitFor);
    const { journal } = this.#mock;
    const own = account instanceof Account ? { ...filter, account: account.id } : filter;
    await journal.wait(own, waitFor, timeout, signal);
    return await journal.read({ ...own, limit }, signal);
  }

  /**
   * The entries of {@link received} as an array.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  async requests(key: string | undefined, options: RequestsOptions): Promise<JournalEntry[]> {
    const { entries } = await this.received(key, options);
    const requests: JournalEntry[] = [];
    for await (const entry of entries) requests.push(entry);
    return requests;
  }

  /**
   * Verifies that the received requests are as expected.
   *
   * @param signal aborted when the caller does not wait any more
   * @throws NotVerifiedError `MOMO_MOCK_NOT_VERIFIED`
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`, `MOMO_MOCK_REQUEST_INVALID` if an expectation
   *   contains a secret, which the journal does not show
   */
  async verify(
    key: string | undefined,
    expected: Expected,
    options: VerifyOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const { journal, redactor } = this.#mock;
    const scope = this.#scope(key);
    const account = scope instanceof Account ? scope.id : undefined;
    await verifyRequests({ journal, redactor, account, expected, ...options, signal });
  }

  /**
   * Verifies that all scripted responses were used, except those with `times: 'always'`.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`, `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  verifyScripts(key: string | undefined): void {
    verifyUsed(this.#scope(key).scripts, this.#mock.redactor);
  }

  /** Empties the journal. */
  clearRequests(key: string | undefined): void {
    const scope = this.#scope(key);
    this.#mock.journal.clear(scope instanceof Account ? scope.id : undefined);
  }

  /**
   * Makes an account.
   *
   * @returns its key
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_EXISTS`, `MOMO_MOCK_VARIANT_UNKNOWN`,
   *   `MOMO_MOCK_BODY_REJECTED`
   */
  createAccount({ apikey, variant, balance }: AccountOptions): string {
    if (variant !== undefined) checkVariant(this.#mock.operations, variant);
    // Before an error about the balance, which may contain the key.
    if (apikey !== undefined) this.#mock.redactor.remember(apikey);
    const start =
      balance === undefined ? undefined : this.#balanceOf(Buffer.from(JSON.stringify(balance)));
    const key = this.#mock.accounts.create(apikey, variant ?? this.#variant);
    this.#mock.redactor.remember(key);
    if (start !== undefined) this.#scope(key).startWith(start);
    return key;
  }

  /** Removes an account. Its key is invalid from now on. */
  removeAccount(key: string): void {
    this.#scope(key);
    this.#mock.accounts.remove(key);
  }

  /** Restores the start state of an account, or of the whole service with all its accounts. */
  reset(key: string | undefined): void {
    const scope = this.#scope(key);
    scope.reset();
    if (!(scope instanceof Account)) this.#mock.accounts.reset();
    this.clearRequests(key);
  }

  #scope(key: string | undefined): Scope {
    const scope = key === undefined ? this.#mock.service : this.#mock.accounts.get(key);
    if (scope !== undefined) return scope;
    const text =
      'Failed to find the account: no account has this key. Make an account with it, or use another key.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }

  #balanceOf(json: Buffer): Answer {
    checkBody(findOperation(this.#mock.operations, BALANCE), json, this.#mock.redactor);
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return { status: 200, headers, body: json };
  }
}
