import { randomBytes } from 'node:crypto';
import { MomoMockError } from '../errors.ts';
import { isKeyHeader, isKeyName, PARAMETER } from './key-names.ts';
import type { Reason } from './reason.ts';
import { Scope } from './scope.ts';
import type { Target } from './target.ts';

/** What an API key opens: a scope of its own. */
export class Account extends Scope {
  /** Names the account in logs and in the journal, in place of its key. */
  readonly id: string;
  /** The variant of an operation's files that the account gets where there is one. */
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
  readonly #start: readonly KeyEntry[];
  readonly #variant: string | undefined;
  /** An account of the start is made when it is first used: until then, its place in the list. */
  readonly #byKey = new Map<string, Account | number>();
  #made = 0;

  /**
   * @param start the keys that are there at the start, and again after a reset
   * @param variant of those that name none
   */
  constructor(start: readonly KeyEntry[], variant?: string) {
    this.#start = start;
    this.#variant = variant;
    this.reset();
  }

  /** Every key that opens an account. */
  get keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  /** The accounts of the start, as new; accounts made since are gone. */
  reset(): void {
    this.#byKey.clear();
    this.#start.forEach(({ key }, place) => void this.#byKey.set(key, place));
    this.#made = this.#start.length;
  }

  /** The account that a key opens. */
  get(key: string): Account | undefined {
    const found = this.#byKey.get(key);
    if (typeof found !== 'number') return found;
    return this.#add(key, found + 1, this.#start[found]?.variant ?? this.#variant);
  }

  /**
   * Makes an account.
   *
   * @param key the key it shall have; without one, a random key
   * @returns the key
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_EXISTS`
   */
  create(key: string = randomKey(), variant?: string): string {
    if (this.#byKey.has(key)) {
      const text = 'Failed to make an account: there is one with this key. Give another, or none.';
      throw new MomoMockError('MOMO_MOCK_ACCOUNT_EXISTS', text);
    }
    this.#add(key, ++this.#made, variant);
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
   * @param headers with names in lower case; looked at for the hint alone
   */
  find(query: Target['query'], headers: Readonly<Record<string, unknown>>): Account | Reason {
    let key: string | undefined;
    for (const [name, value] of query) {
      if (name !== PARAMETER) continue;
      if (key !== undefined) return 'key-repeated';
      key = value;
    }
    if (key === '') return 'key-empty';
    if (key !== undefined) return this.get(key) ?? 'key-unknown';
    if (query.some(([name]) => isKeyName(name))) return 'key-misspelt';
    for (const name in headers) if (isKeyHeader(name)) return 'key-in-header';
    return 'key-missing';
  }

  #add(key: string, number: number, variant: string | undefined): Account {
    const account = new Account(`account-${number}`, variant);
    this.#byKey.set(key, account);
    return account;
  }
}
