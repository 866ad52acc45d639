import type { Redactor } from '../redaction/redaction.ts';
import type { AccountContext } from './account-context.ts';

/**
 * The secrets of an account: its key, and the secrets of its webhooks. After the account's end, they
 * stay secrets while a request runs that may log them, or a journal has an entry of its time.
 */
export class AccountSecrets {
  readonly #redactor: Redactor;
  readonly #secrets = new Set<string>();
  /** Each calls a function when its journal has no entry that came since the account began. */
  readonly #whenGone: readonly ((act: () => void) => void)[];
  /** What keeps the secrets: the account, its running requests, and the journals. */
  #reasons = 1;

  constructor({ redactor, journals }: Pick<AccountContext, 'redactor' | 'journals'>, key?: string) {
    this.#redactor = redactor;
    this.#whenGone = Object.values(journals).map((journal) => {
      const { newest } = journal;
      return (act) => journal.whenGone(newest, act);
    });
    if (key !== undefined) this.remember(key);
  }

  remember(secret: string): void {
    if (this.#secrets.has(secret)) return;
    this.#redactor.remember(secret);
    this.#secrets.add(secret);
  }

  /** Keeps them until the function that it returns is called. */
  hold(): () => void {
    this.#reasons++;
    return () => this.#release();
  }

  /** Called once, when the account ends. */
  forget(): void {
    for (const whenGone of this.#whenGone) whenGone(this.hold());
    this.#release();
  }

  #release(): void {
    if (--this.#reasons > 0) return;
    for (const secret of this.#secrets) this.#redactor.forget(secret);
  }
}
