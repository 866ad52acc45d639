import { MomoMockError } from '../../errors.ts';
import type { AccountOptions } from '../account-options.ts';
import { Account } from '../accounts.ts';
import { check } from '../check.ts';
import type { Definition } from '../definition.ts';
import { givenBalance } from '../given-body.ts';
import type { Mock } from '../mock.ts';
import { checkVariant, findOperation } from '../operation.ts';
import type { ScriptedResponse } from '../scripted-response.ts';
import { readStart } from '../state/state-values.ts';
import { readScripts } from './read-scripts.ts';
import {
  type FixtureDetails,
  operationDetails,
  type ShownOperation,
  shownOperation,
} from './shown-operation.ts';
import { shownScripts } from './shown-script.ts';
import { StateController } from './state-controller.ts';

/** What a reset changes, apart from the requests. */
const RESET = ['balance', 'variant', 'responses', 'accounts', 'state', 'clock'] as const;

/**
 * Everything that a test can configure and query, for the library and the control API. With a key,
 * a call applies to one account; without a key, to the whole service. Callers first check the input
 * of a test with {@link Controller.check}. The other checks run before anything is changed.
 */
export class Controller extends StateController {
  readonly #mock: Mock;
  readonly #variant: string | undefined;

  /** @param variant the variant of accounts without their own */
  constructor(mock: Mock, variant: string | undefined) {
    super(mock);
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
    const scope = this.scope(key);
    scope.balance = json && givenBalance(this.#mock, json);
    this.#mock.feed.change('balance');
  }

  /** The balance that was set, if any. Configured keys in it are redacted. */
  balance(key: string | undefined): Buffer | undefined {
    const json = this.scope(key).balance?.body;
    return json && Buffer.from(this.#mock.redactor.redactJson(json.toString()));
  }

  /**
   * Sets the variant; `undefined` removes the set one, so that the initial variant of each account
   * applies again.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`, `MOMO_MOCK_VARIANT_UNKNOWN`
   */
  setVariant(key: string | undefined, variant: string | undefined): void {
    const scope = this.scope(key);
    if (variant !== undefined) checkVariant(this.#mock.operations, variant);
    scope.variant = variant;
    this.#mock.feed.change('variant');
  }

  /** The variant that was set, if any. */
  variant(key: string | undefined): string | undefined {
    return this.scope(key).variant;
  }

  /** All operations, and their files. */
  operations(): ShownOperation[] {
    const { tree } = this.#mock;
    return tree.operations.map((operation) => shownOperation(operation, tree));
  }

  /**
   * An operation, with the responses of its files.
   *
   * @throws MomoMockError `MOMO_MOCK_OPERATION_UNKNOWN`
   */
  operation(name: string): ShownOperation<FixtureDetails> {
    const { tree, redactor } = this.#mock;
    return operationDetails(findOperation(tree.operations, name), tree, redactor);
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
    const scope = this.scope(key);
    const before = how === 'append' ? scope.scripts : [];
    const { operations, redactor } = this.#mock;
    const isService = !(scope instanceof Account);
    const scripts = readScripts(given, { left: before.length, isService, operations, redactor });
    scope.scripts = [...before, ...scripts];
    this.#mock.feed.change('responses');
  }

  /**
   * Removes a scripted response.
   *
   * @param position its place in {@link responses}, from 0
   * @returns whether there was one
   */
  removeScript(key: string | undefined, position: number): boolean {
    const scope = this.scope(key);
    if (scope.scripts[position] === undefined) return false;
    scope.scripts = scope.scripts.toSpliced(position, 1);
    this.#mock.feed.change('responses');
    return true;
  }

  /** The remaining scripted responses. Configured keys in them are redacted. */
  responses(key: string | undefined): AsyncIterable<ScriptedResponse> {
    const { redactor, turns } = this.#mock;
    return shownScripts(this.scope(key).scripts, redactor, turns);
  }

  /** All accounts by their ids, with the variant that each gets. */
  accounts(): { id: string; variant: string | null }[] {
    return Array.from(this.#mock.accounts.all, ({ id, shownVariant }) => {
      return { id, variant: shownVariant };
    });
  }

  /**
   * The key of the account with an id.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  keyOf(id: string): string {
    const key = this.#mock.accounts.keyOf(id);
    if (key !== undefined) return key;
    const text =
      'Failed to find the account: no account has this id. GET /accounts lists the accounts.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }

  /**
   * Makes an account.
   *
   * @returns its key
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_EXISTS`, `MOMO_MOCK_VARIANT_UNKNOWN`,
   *   `MOMO_MOCK_BODY_REJECTED`, `MOMO_MOCK_STATE_INVALID`
   */
  createAccount({ apikey, variant, balance, state }: AccountOptions): string {
    if (variant !== undefined) checkVariant(this.#mock.operations, variant);
    readStart(state);
    // Before an error about the balance, which may contain the key.
    if (apikey !== undefined) this.#mock.redactor.remember(apikey);
    const json = balance === undefined ? undefined : Buffer.from(JSON.stringify(balance));
    const start = json && givenBalance(this.#mock, json);
    const key = this.#mock.accounts.create(apikey, variant ?? this.#variant);
    this.#mock.redactor.remember(key);
    if (start !== undefined) this.scope(key).startWith(start);
    if (state !== undefined) this.scope(key).state.startWith(state);
    this.#mock.feed.change('accounts');
    return key;
  }

  /** Removes an account and drops its callbacks. Its key is invalid from now on. */
  removeAccount(key: string): void {
    this.resetCallbacks(key);
    this.#mock.accounts.remove(key);
    this.#mock.feed.change('accounts');
  }

  /** Restores the start state of an account, or of the whole service with all its accounts. */
  reset(key: string | undefined): void {
    const scope = this.scope(key);
    this.resetCallbacks(key);
    scope.reset();
    if (!(scope instanceof Account)) this.#mock.accounts.reset();
    for (const change of RESET) this.#mock.feed.change(change);
    this.clearRequests(key);
    this.clearCallbacks(key);
  }
}
