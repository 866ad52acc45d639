import { asSentence, MomoMockError } from '../../errors.ts';
import { MAX_TOKENS } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { newToken } from '../redaction/token-text.ts';
import { hashOf } from './hidden-keys.ts';
import type { Remembered } from './remembered.ts';

interface Token {
  /** In ms since 1970, by the account's clock. */
  readonly expires: number;
  /** As JSON. */
  readonly claims: string;
}

interface SavedTokens {
  /** The SHA-256 of the key of their account. */
  readonly keyHash: string;
  readonly issued: readonly {
    readonly token: string;
    /** The rest of its time in ms; negative if it has expired. */
    readonly left: number;
    readonly claims: string;
  }[];
}

interface TokensOptions {
  /** The key of the account; `undefined` for all accounts, which have no tokens. */
  readonly key: string | undefined;
  readonly now: () => number;
  /** The accounts of all tokens of the mock, by token. */
  readonly byToken: Map<string, Tokens>;
  readonly redactor: Redactor;
}

/** The tokens that operations issued for an account. Expired ones are remembered while there is room. */
export class Tokens implements Remembered {
  readonly key: string | undefined;
  readonly #options: TokensOptions;
  /** The oldest first. */
  readonly #issued = new Map<string, Token>();
  #isClosed = false;

  constructor(options: TokensOptions) {
    this.key = options.key;
    this.#options = options;
  }

  /**
   * @param claims as JSON
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if too many tokens are valid
   */
  issue(seconds: number, claims: string): string {
    const token = newToken();
    // The account was removed or replaced while its handler ran, so nobody can use the token.
    if (this.#isClosed) return token;
    if (this.#issued.size >= MAX_TOKENS) this.#dropExpired();
    if (this.#issued.size >= MAX_TOKENS) throw tooManyTokens();
    const { now, byToken } = this.#options;
    this.#add(token, { expires: now() + seconds * 1000, claims });
    byToken.set(token, this);
    return token;
  }

  /** Whether a token of this account has expired. */
  hasExpired(token: string): boolean {
    return (this.#issued.get(token)?.expires ?? 0) <= this.#options.now();
  }

  /** As JSON. */
  claimsOf(token: string): string | undefined {
    return this.#issued.get(token)?.claims;
  }

  /** Makes requests find the account by its tokens. */
  register(): void {
    for (const token of this.#issued.keys()) this.#options.byToken.set(token, this);
  }

  /** Adds those of the account that this one replaces, each for the rest of its time. */
  keep(others: Tokens): void {
    const moved = this.#options.now() - others.#options.now();
    for (const [token, { expires, claims }] of others.#issued) {
      if (this.#issued.size >= MAX_TOKENS) return;
      this.#add(token, { expires: expires + moved, claims });
    }
  }

  reset(): void {
    const { byToken } = this.#options;
    // A restored account may have taken over some of them.
    for (const token of this.#issued.keys()) if (byToken.get(token) === this) byToken.delete(token);
    this.#issued.clear();
  }

  /** Revokes all, and issues no more. */
  close(): void {
    this.reset();
    this.#isClosed = true;
  }

  save(): SavedTokens | undefined {
    const { key } = this;
    if (key === undefined || this.#issued.size === 0) return undefined;
    const now = this.#options.now();
    const issued = Array.from(this.#issued, ([token, { expires, claims }]) => {
      return { token, left: expires - now, claims };
    });
    return { keyHash: hashOf(key), issued };
  }

  /** The tokens of another account stay with it. */
  load({ keyHash, issued }: SavedTokens): void {
    if (this.key === undefined || keyHash !== hashOf(this.key)) return;
    const now = this.#options.now();
    for (const { token, left, claims } of issued) this.#add(token, { expires: now + left, claims });
  }

  #add(token: string, issued: Token): void {
    this.#options.redactor.hasTokens = true;
    this.#issued.set(token, issued);
  }

  #dropExpired(): void {
    const { byToken } = this.#options;
    for (const token of this.#issued.keys()) {
      if (!this.hasExpired(token)) continue;
      this.#issued.delete(token);
      byToken.delete(token);
    }
  }
}

export function cannotIssue(problem: string): MomoMockError {
  const text = `Failed to issue the token: ${asSentence(problem)}`;
  return new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
}

function tooManyTokens(): MomoMockError {
  const most = MAX_TOKENS.toLocaleString('en');
  return cannotIssue(
    `at most ${most} tokens of an account can be valid. Issue them for less time, advance the clock, or reset the account`,
  );
}
