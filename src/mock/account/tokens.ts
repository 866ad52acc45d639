import { MAX_TIME, MAX_TOKENS } from '../limits.ts';
import { newToken, TOKEN } from '../redaction/token-text.ts';
import { hashOf } from './hidden-keys.ts';
import type { Remembered } from './remembered.ts';
import type * as Forms from './saved-forms.ts';

interface Token {
  /** In ms since 1970, by the account's clock. */
  readonly expires: number;
  /** As JSON. */
  readonly claims: string;
}

/** The tokens that operations issued for an account. */
export class Tokens implements Remembered {
  /** The key of the account; `undefined` for all accounts, which have no tokens. */
  readonly key: string | undefined;
  readonly #byToken: Map<string, Tokens>;
  readonly #now: () => number;
  /** The oldest first. */
  readonly #issued = new Map<string, Token>();
  #isClosed = false;

  /** @param byToken the accounts of all tokens of the mock */
  constructor(byToken: Map<string, Tokens>, key: string | undefined, now: () => number) {
    this.#byToken = byToken;
    this.key = key;
    this.#now = now;
  }

  /** @param claims as JSON */
  issue(seconds: number, claims: string): string {
    const token = newToken();
    this.#add(token, { expires: this.#now() + seconds * 1000, claims });
    if (!this.#isClosed) this.#byToken.set(token, this);
    return token;
  }

  get(token: string): { readonly isExpired: boolean; readonly claims: string } | undefined {
    const issued = this.#issued.get(token);
    return issued && { isExpired: issued.expires <= this.#now(), claims: issued.claims };
  }

  /** Makes requests find the account by the tokens of a snapshot. */
  begin(): void {
    for (const token of this.#issued.keys()) this.#byToken.set(token, this);
  }

  /** A handler that still runs may issue others, which open nothing. */
  close(): void {
    this.#isClosed = true;
    for (const token of this.#issued.keys()) this.#forget(token);
  }

  /** @internal */
  form({ Type, closedObject, jsonText }: typeof Forms) {
    const issued = closedObject({
      token: Type.String({ pattern: TOKEN, title: 'a token that a mock issued' }),
      // The rest of its time in ms; negative if it has expired.
      left: Type.Number({ minimum: -MAX_TIME, maximum: MAX_TIME }),
      claims: jsonText('claims'),
    });
    return closedObject({
      keyHash: Type.String(),
      issued: Type.Array(issued, { maxItems: MAX_TOKENS }),
    });
  }

  save() {
    if (this.key === undefined || this.#issued.size === 0) return undefined;
    const now = this.#now();
    const issued = Array.from(this.#issued, ([token, { expires, claims }]) => {
      return { token, left: expires - now, claims };
    });
    return { keyHash: hashOf(this.key), issued };
  }

  /** @internal The tokens of another account stay with it. */
  load({ keyHash, issued }: Forms.Saved<Tokens>): void {
    if (this.key === undefined || keyHash !== hashOf(this.key)) return;
    const now = this.#now();
    for (const { token, left, claims } of issued) this.#add(token, { expires: now + left, claims });
  }

  #add(token: string, issued: Token): void {
    this.#issued.set(token, issued);
    const [oldest = ''] = this.#issued.keys();
    if (this.#issued.size > MAX_TOKENS) this.#forget(oldest);
  }

  #forget(token: string): void {
    this.#issued.delete(token);
    // A restored account may have taken it over.
    if (this.#byToken.get(token) === this) this.#byToken.delete(token);
  }
}
