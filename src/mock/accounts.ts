import { randomBytes } from 'node:crypto';
import { MomoMockError } from '../errors.ts';
import type { Reason } from './reason.ts';
import type { RequestTarget } from './request-target.ts';
import { Scope } from './scope.ts';
import { isKeyHeader, isKeyName, PARAMETER } from './secret-names.ts';

/** What an API key opens: a scope of its own. */
export class Account extends Scope {
  /** The name of the account in logs and in the journal, which never show its key. */
  readonly id: string;
  /** The variant of an operation's files that the account gets, where the operation has it. */
  readonly variant: string | undefined;

  constructor(id: string, variant: string | undefined) {
    super();
    this.id = id;
    this.variant = variant;
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

/** The keys that open an account, and the one place where a request's key is checked. */
export class Accounts {
  readonly #configured: readonly KeyEntry[];
  readonly #variant: string | undefined;
  readonly #byKey = new Map<string, Account>();
  #made = 0;

  /**
   * @param configured the keys that exist at the start, and again after a reset
   * @param variant of the accounts whose key names none
   */
  constructor(configured: readonly KeyEntry[], variant?: string) {
    this.#configured = configured;
    this.#variant = variant;
    this.reset();
  }

  /** Every key that opens an account. */
  get keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  /** Back to the configured accounts, as new; accounts made since are gone. */
  reset(): void {
    this.#byKey.clear();
    this.#made = 0;
    for (const { key, variant } of this.#configured) this.#add(key, variant);
  }

  /** The account that a key opens. */
  get(key: string): Account | undefined {
    return this.#byKey.get(key);
  }

  /**
   * Makes an account.
   *
   * @param key its key; without one, a random key
   * @param variant the variant of an operation's files that it gets
   * @returns the key
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_EXISTS`
   */
  create(key: string = randomKey(), variant?: string): string {
    if (this.#byKey.has(key)) {
      const text = 'Failed to make an account: there is one with this key. Give another, or none.';
      throw new MomoMockError('MOMO_MOCK_ACCOUNT_EXISTS', text);
    }
    this.#add(key, variant);
    return key;
  }

  /** Removes an account: its key is a wrong one from now on. */
  remove(key: string): void {
    this.#byKey.delete(key);
  }

  /**
   * Finds the account that a request's key opens. Stated: a missing, an empty, an unknown and a
   * repeated key are all invalid.
   *
   * @param headers with names in lower case; they decide nothing but the reason
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
    this.#byKey.set(key, new Account(`account-${this.#made}`, variant));
  }
}
