import type { Reason } from './reason.ts';
import type { Target } from './target.ts';

/** What an API key opens. */
export interface Account {
  /** Names the account in logs, in place of its key. */
  readonly id: string;
  /** The variant of an operation's files that the account gets where there is one. */
  readonly variant: string | undefined;
}

/** A key as it is configured. */
export interface KeyEntry {
  readonly key: string;
  readonly variant?: string | undefined;
}

/** Stated: the key travels in the query under this name. */
const PARAMETER = 'apikey';
/** Seen in the field: where keys are put by mistake. Used for the hint alone. */
const KEY_HEADERS = ['apikey', 'api-key', 'x-api-key', 'x-apikey', 'authorization'];

/** The keys that open an account, and the one place where a request's key is checked. */
export class Accounts {
  readonly #byKey = new Map<string, Account>();

  constructor(entries: readonly KeyEntry[]) {
    for (const { key, variant } of entries) {
      this.#byKey.set(key, { id: `account-${this.#byKey.size + 1}`, variant });
    }
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
    if (key !== undefined) return this.#byKey.get(key) ?? 'key-unknown';
    if (query.some(([name]) => looksLikeKey(name))) return 'key-misspelt';
    if (KEY_HEADERS.some((name) => headers[name] !== undefined)) return 'key-in-header';
    return 'key-missing';
  }
}

/** `apiKey`, `api_key`, `API-KEY`, `apikey[]`, `key`, … */
function looksLikeKey(name: string): boolean {
  return /^(api)?key$/.test(name.toLowerCase().replace(/[^a-z]/g, ''));
}
