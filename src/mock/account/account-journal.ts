import { closed } from '../../errors.ts';
import type { RequestDetails, RequestEntry, WebhookEntry } from '../journal/entry.ts';
import {
  DEFAULT_LIMIT,
  DEFAULT_TIMEOUT_MS,
  type Filter,
  type RequestsOptions,
} from '../journal/filter.ts';
import type { FoundEntries, Journal } from '../journal/journal.ts';
import type { AnyExpected, MomoVerifyOptions } from '../verify/expectation.ts';
import type { PossibleContext } from '../verify/possible.ts';
import type { Verified } from '../verify/verification.ts';
import type { AccountContext } from './account-context.ts';

type FindOptions = Filter & Pick<RequestsOptions, 'waitFor' | 'timeout'>;

/** An account's entries in a journal; for all accounts, all entries. */
export class AccountJournal<Entry extends RequestEntry | WebhookEntry> {
  readonly #context: AccountContext;
  readonly #account: string | undefined;
  readonly #journal: Journal<Entry>;

  constructor(context: AccountContext, account: string | undefined, journal: Journal<Entry>) {
    this.#context = context;
    this.#account = account;
    this.#journal = journal;
  }

  /**
   * The entries that match a filter, once there are enough. `limit` defaults to 1000, or to
   * `waitFor` if that is greater. Attempts in flight do not count for `waitFor`.
   */
  async find(options: FindOptions, signal?: AbortSignal): Promise<FoundEntries<Entry>> {
    // The error may contain the key of an account that is removed meanwhile.
    return await this.#journal.redactor.during(() => this.#find(options, signal));
  }

  async #find(options: FindOptions, signal?: AbortSignal): Promise<FoundEntries<Entry>> {
    const { waitFor = 0, timeout = DEFAULT_TIMEOUT_MS, ...given } = options;
    const filter = { ...given, account: this.#account };
    const limit = filter.limit ?? Math.max(DEFAULT_LIMIT, waitFor);
    await this.checkPossible(given, { isWait: waitFor > 0 });
    const awaited = { ...filter, ...(this.#journal.kind === 'webhooks' && { ended: true }) };
    if (waitFor === 0) return await this.#journal.read({ ...filter, limit });
    const isEnough = await this.#journal.wait(awaited, waitFor, timeout, signal);
    if (this.#journal.isClosed) throw closed();
    const found = await this.#journal.read({ ...filter, limit });
    // Meanwhile, the journal may have removed some for newer ones.
    if (isEnough && found.total >= waitFor) return found;
    const { tooFew } = await import('../verify/verify.ts');
    throw await tooFew(this.#journal, awaited, { waitFor, timeout });
  }

  /** An entry, with the response of a request; `undefined` if the journal does not have it. */
  get(id: number): RequestDetails | WebhookEntry | undefined {
    return this.#journal.get(id, this.#account)?.details(this.#context.redactor);
  }

  clear(): void {
    this.#journal.clear(this.#account);
    this.#context.feed.change(this.#journal.kind);
  }

  async verify(
    expected: AnyExpected,
    options: MomoVerifyOptions = {},
    signal?: AbortSignal,
    aim?: Verified['aim'],
  ): Promise<void> {
    const verified = { journal: this.#journal, account: this.#account, expected, aim };
    await this.#journal.redactor.during(async () => {
      const { verifyEntries } = await import('../verify/verify.ts');
      await this.checkPossible(expected);
      await verifyEntries(verified, options, signal);
    });
  }

  async checkPossible(
    expected: AnyExpected,
    kind: Pick<PossibleContext, 'isWait' | 'place'> = {},
  ): Promise<void> {
    const { checkPossible } = await import('../verify/possible.ts');
    const { operations, redactor } = this.#context;
    const has = (filter: Filter) => this.#journal.has({ ...filter, account: this.#account });
    checkPossible(expected, { operations, redactor, has, ...kind });
  }
}
