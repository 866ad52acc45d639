import { MomoMockError } from '../errors.ts';
import { Account } from './accounts.ts';
import type { Answer } from './answer.ts';
import { fieldsOf, invalid } from './invalid.ts';
import { readRequestsOptions } from './journal-filter.ts';
import type { JournalEntry } from './journal-record.ts';
import type { Mock } from './mock.ts';
import { BALANCE, type Operation, variantNames } from './operation.ts';
import type { Scope } from './scope.ts';
import { jsonBytes, readScript, type Script, type ScriptedResponse } from './scripted-response.ts';

/** What an account is made with. */
export interface AccountOptions {
  /**
   * The key of the account.
   *
   * @default a random one
   */
  readonly apikey?: string;
  /** The variant of an operation's files that it gets where there is one. */
  readonly variant?: string;
  /** The balance that it has from the start; the whole body, as JSON. */
  readonly balance?: unknown;
}

/**
 * What a test can tell the mock and ask of it, in the words of the library and of the control
 * API alike. Without a key it holds for the whole service, with one for that account alone.
 * Everything is checked before anything is changed.
 */
export class Controller {
  readonly #mock: Mock;
  readonly #variant: string | undefined;

  /** @param variant of accounts that name none */
  constructor(mock: Mock, variant: string | undefined) {
    this.#mock = mock;
    this.#variant = variant;
  }

  /**
   * Sets the balance, as the bytes of a JSON body; `undefined` takes back what was set.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`, `MOMO_MOCK_REQUEST_INVALID`,
   *   `MOMO_MOCK_BODY_REJECTED`
   */
  setBalance(key: string | undefined, json: Buffer | undefined): void {
    const scope = this.#scope(key);
    scope.balance = json && this.#balanceOf(json);
  }

  /** The balance that was set in a scope, if any. */
  balance(key: string | undefined): Buffer | undefined {
    return this.#scope(key).balance?.body;
  }

  /**
   * Scripts responses, in place of those that are left or behind them.
   *
   * @param given one response or a list of them
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`, `MOMO_MOCK_REQUEST_INVALID`,
   *   `MOMO_MOCK_OPERATION_UNKNOWN`, `MOMO_MOCK_BODY_REJECTED`
   */
  script(key: string | undefined, given: unknown, how: 'replace' | 'append'): void {
    const scope = this.#scope(key);
    const scripts = [given].flat().map((response) => this.#readScript(key, response));
    scope.scripts = how === 'append' ? [...scope.scripts, ...scripts] : scripts;
  }

  /** The scripted responses that are left in a scope. */
  responses(key: string | undefined): ScriptedResponse[] {
    return this.#scope(key).scripts.map(({ given, operation, left }) => {
      return { ...given, operation, times: left === Infinity ? 'always' : left };
    });
  }

  /**
   * What was received.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`, `MOMO_MOCK_REQUEST_INVALID`
   */
  async requests(key: string | undefined, options: unknown): Promise<JournalEntry[]> {
    const account = this.#scope(key);
    const { filter, waitFor, timeout } = readRequestsOptions(options);
    const { journal } = this.#mock;
    const own = account instanceof Account ? { ...filter, account: account.id } : filter;
    await journal.wait(own, waitFor, timeout);
    return journal.list(own);
  }

  /** How many entries of the journal had to make room. */
  get dropped(): number {
    return this.#mock.journal.dropped;
  }

  /** Forgets what was received. */
  clearRequests(key: string | undefined): void {
    const scope = this.#scope(key);
    this.#mock.journal.clear(scope instanceof Account ? scope.id : undefined);
  }

  /**
   * Makes an account.
   *
   * @returns its key
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_ACCOUNT_EXISTS`,
   *   `MOMO_MOCK_VARIANT_UNKNOWN`, `MOMO_MOCK_BODY_REJECTED`
   */
  createAccount(options: unknown): string {
    const { apikey, variant, balance } = fieldsOf(options, 'an account', [
      'apikey',
      'variant',
      'balance',
    ]);
    if (variant !== undefined) this.#checkVariant(variant);
    const start = balance === undefined ? undefined : jsonBytes(balance, 'balance');
    const answer = start && this.#balanceOf(start);
    const { accounts } = this.#mock;
    const key = accounts.create(apikey, (variant as string | undefined) ?? this.#variant);
    this.#mock.redactor.remember(key);
    if (answer !== undefined) this.#scope(key).startWith(answer);
    return key;
  }

  /** Removes an account: its key is a wrong one from now on. */
  removeAccount(key: string): void {
    this.#scope(key);
    this.#mock.accounts.remove(key);
  }

  /** Back to the start: an account, or the whole service with all its accounts. */
  reset(key: string | undefined): void {
    const scope = this.#scope(key);
    scope.reset();
    if (!(scope instanceof Account)) this.#mock.accounts.reset();
    this.clearRequests(key);
  }

  #scope(key: string | undefined): Scope {
    const scope = key === undefined ? this.#mock.service : this.#mock.accounts.get(key);
    if (scope !== undefined) return scope;
    const text = 'Failed to find the account: no account has this key. Make one, or use another.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }

  #readScript(key: string | undefined, given: unknown): Script {
    const script = readScript(given, BALANCE);
    if (script.beforeKeyCheck && key !== undefined) {
      throw invalid('beforeKeyCheck', 'it for the whole service alone, without a key');
    }
    const operation = this.#operation(script.operation);
    const { status = 200, body } = script;
    if (body !== undefined && status < 300) this.#check(operation, body);
    return script;
  }

  #balanceOf(json: Buffer): Answer {
    this.#check(this.#operation(BALANCE), json);
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return { status: 200, headers, body: json };
  }

  #operation(name: string): Operation {
    const found = this.#mock.operations.find((operation) => operation.name === name);
    if (found !== undefined) return found;
    const all = this.#mock.operations.map((operation) => operation.name).join(', ');
    const text = `Failed to find the operation: no fixture file makes it. There are: ${all}.`;
    throw new MomoMockError('MOMO_MOCK_OPERATION_UNKNOWN', text);
  }

  #checkVariant(variant: unknown): void {
    const known = variantNames(this.#mock.operations);
    if (known.some((name) => name === variant)) return;
    const text = `Failed to find the variant: no fixture file is of it. There are: ${known.join(', ')}.`;
    throw new MomoMockError('MOMO_MOCK_VARIANT_UNKNOWN', text);
  }

  /** Holds a body against the schema of its operation, where there is one. */
  #check({ schema }: Operation, json: Buffer): void {
    if (schema === undefined) return;
    let body: unknown;
    try {
      body = JSON.parse(json.toString());
    } catch {
      body = json.toString();
    }
    const problems = schema.validate(body);
    if (problems.length === 0) return;
    const text = `Failed to accept the body: ${problems.join('; ')}. Give one that satisfies ${schema.file}.`;
    throw new MomoMockError('MOMO_MOCK_BODY_REJECTED', text);
  }
}
