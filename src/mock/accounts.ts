import { randomBytes } from 'node:crypto';
import { MomoMockError } from '../errors.ts';
import type { Reason } from './reason.ts';
import { isKeyHeader, isKeyName, PARAMETER } from './redaction/secret-names.ts';
import type { RequestTarget } from './request-target.ts';
import { Scope } from './scope.ts';

/** The account of an API key: a separate scope. */
export class Account extends Scope {
  /** The name of the account in the logs and the journal, which never show its key. */
  readonly id: string;
  /** The variant that the account gets at the start, from each operation that has it. */
  readonly initialVariant: string | undefined;

  constructor(id: string, variant: string | undefined, service?: Scope) {
    super(service);
    this.id = id;
    this.initialVariant = variant;
  }

  /** The variant that was set for the account, or its initial variant; `null` for none. */
  get shownVariant(): string | null {
    return this.variant ?? this.initialVariant ?? null;
  }
}

/** A key, and the variant of its account. */
export interface KeyEntry {
  readonly key: string;
  readonly variant?: string | undefined;
}

function randomKey(): string {
  return `momo_test_${randomBytes(18).toString('base64url')}`;
}

/** The accounts by their keys. Only this class checks the key of a request. */
export class Accounts {
  readonly #configured: readonly KeyEntry[];
  readonly #variant: string | undefined;
  readonly #service: Scope | undefined;
  readonly #byKey = new Map<string, Account>();
  #made = 0;

  /**
   * @param configured the keys at the start and after a reset
   * @param variant the variant of accounts without their own
   * @param service the scope of the service, which contains the accounts
   */
  constructor(configured: readonly KeyEntry[], variant?: string, service?: Scope) {
    this.#configured = configured;
    this.#variant = variant;
    this.#service = service;
    this.reset();
  }

  /** All valid keys. */
  get keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  /** All accounts, in the order in which they were made. */
  get all(): Iterable<Account> {
    return this.#byKey.values();
  }

  /** Removes all accounts and makes the configured ones again. */
  reset(): void {
    for (const account of this.all) account.close();
    this.#byKey.clear();
    this.#made = 0;
    for (const { key, variant } of this.#configured) this.#add(key, variant);
  }

  /** The account of a key. */
  get(key: string): Account | undefined {
    return this.#byKey.get(key);
  }

  /** The key of the account with an id. */
  keyOf(id: string): string | undefined {
    for (const [key, account] of this.#byKey) if (account.id === id) return key;
    return undefined;
  }

  /**
   * Makes an account.
   *
   * @param key its key. @default a random key
   * @param variant the variant that it gets from each operation that has it
   * @returns the key
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_EXISTS`
   */
  create(key: string = randomKey(), variant?: string): string {
    if (this.#byKey.has(key)) {
      const text =
        'Failed to make an account: an account with this key exists. Use another key, or leave it out.';
      throw new MomoMockError('MOMO_MOCK_ACCOUNT_EXISTS', text);
    }
    this.#add(key, variant);
    return key;
  }

  /** Removes an account. Its key is invalid from now on. */
  remove(key: string): void {
    this.#byKey.get(key)?.close();
    this.#byKey.delete(key);
  }

  /**
   * Finds the account for the key of a request. Stated: a missing, empty, unknown or repeated key
   * is invalid.
   *
   * @param headers with names in lower case; they only affect the reason
   */
  find(
    query: RequestTarget['query'],
    headers: Readonly<Record<string, unknown>>,
  ): Account | Reason {
    const [key, ...more] = query.filter(([name]) => name === PARAMETER).map(([, value]) => value);
    if (more.length > 0) return 'key-repeated';
    if (key === '') return 'key-empty';
    if (key !== undefined) return this.get(key) ?? 'key-unknown';
    if (query.some(([name]) => isKeyName(name))) return 'key-misspelt';
    return Object.keys(headers).some(isKeyHeader) ? 'key-in-header' : 'key-missing';
  }

  #add(key: string, variant = this.#variant): void {
    this.#made++;
    this.#byKey.set(key, new Account(`account-${this.#made}`, variant, this.#service));
  }
}
