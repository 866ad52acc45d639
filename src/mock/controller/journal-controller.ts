import { MomoMockError } from '../../errors.ts';
import { Account } from '../accounts.ts';
import type { FeedOptions } from '../journal/feed.ts';
import type { Received } from '../journal/journal.ts';
import type { JournalEntry, RequestDetails } from '../journal/journal-entry.ts';
import {
  DEFAULT_LIMIT,
  DEFAULT_TIMEOUT,
  type Filter,
  type RequestsOptions,
} from '../journal/journal-filter.ts';
import { entriesOf, type Found, type Page, type RecordJournal } from '../journal/record-journal.ts';
import type { Mock } from '../mock.ts';
import type { Scope } from '../scope.ts';
import type { Expected, VerifyOptions } from '../verify/expectation.ts';
import { REQUESTS } from '../verify/request-subject.ts';
import { verifyEntries, verifyUsed } from '../verify/verify.ts';
import { type JournalBatch, journalEvents } from './journal-events.ts';

type Waiting = Pick<RequestsOptions, 'waitFor' | 'timeout'>;
type OfAccount = Pick<Filter, 'account'>;

/**
 * What a test can query of the received requests. With a key, a call is about one account; without a
 * key, about the whole service.
 */
export class JournalController {
  readonly #mock: Mock;

  constructor(mock: Mock) {
    this.#mock = mock;
  }

  /**
   * The requests that were received. The default of `limit` is 1000, or `waitFor` if that is more.
   *
   * @param signal aborted when the caller does not need the result any more
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  async received(
    key: string | undefined,
    options: RequestsOptions,
    signal?: AbortSignal,
  ): Promise<Received> {
    return await this.search<Filter, JournalEntry>(this.#mock.journal, key, options, signal);
  }

  /**
   * The entries of {@link received} as an array.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  async requests(key: string | undefined, options: RequestsOptions): Promise<JournalEntry[]> {
    return await entriesOf(await this.received(key, options));
  }

  /**
   * Verifies that the received requests are as expected.
   *
   * @param signal aborted when the caller does not wait any more
   * @throws NotVerifiedError `MOMO_MOCK_NOT_VERIFIED`
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`, `MOMO_MOCK_REQUEST_INVALID` if an expectation
   *   contains a secret, which the journal does not show
   */
  async verify(
    key: string | undefined,
    expected: Expected,
    options: VerifyOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const { journal, redactor } = this.#mock;
    const account = this.accountId(key);
    const subject = REQUESTS;
    await verifyEntries({ journal, subject, redactor, account, expected, ...options, signal });
  }

  /**
   * Verifies that all scripted responses were used, except those with `times: 'always'`.
   *
   * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`, `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  verifyScripts(key: string | undefined): void {
    verifyUsed(this.scope(key).scripts, this.#mock.redactor);
  }

  /** The request with an id, and the response to it; `undefined` if the journal has none. */
  request(key: string | undefined, id: number): RequestDetails | undefined {
    return this.#mock.journal.find(id, this.accountId(key));
  }

  /**
   * What happens from now on: requests and attempts of callbacks that begin and end, and changes of
   * everything else.
   *
   * @param signal aborted when the caller stops
   */
  follow(
    key: string | undefined,
    options: FeedOptions,
    signal: AbortSignal,
  ): AsyncIterable<JournalBatch> {
    const { feed, journal, callbacks, redactor, turns } = this.#mock;
    const account = this.accountId(key);
    const batches = feed.read(options, [journal.all, callbacks.journal.all], signal);
    return journalEvents(batches, { account, redactor, turns });
  }

  /** Empties the journal. */
  clearRequests(key: string | undefined): void {
    this.#mock.journal.clear(this.accountId(key));
  }

  /**
   * The entries of a journal that match a filter, when there are enough.
   *
   * @param counted what an entry must match, beside the filter, to count for `waitFor`
   */
  protected async search<Filter extends Page, Entry>(
    journal: Pick<RecordJournal<never, Filter & OfAccount, Entry>, 'wait' | 'read'>,
    key: string | undefined,
    options: Filter & Waiting,
    signal?: AbortSignal,
    counted: Partial<Filter> = {},
  ): Promise<Found<Entry>> {
    const account = this.accountId(key);
    const { waitFor = 0, timeout = DEFAULT_TIMEOUT, ...filter } = options;
    const limit = filter.limit ?? Math.max(DEFAULT_LIMIT, waitFor);
    const own = { ...filter, ...(account !== undefined && { account }) } as Filter & OfAccount;
    await journal.wait({ ...own, ...counted }, waitFor, timeout, signal);
    return await journal.read({ ...own, limit }, signal);
  }

  /** The id of an account; `undefined` for the whole service. */
  accountId(key: string | undefined): string | undefined {
    const scope = this.scope(key);
    return scope instanceof Account ? scope.id : undefined;
  }

  /** The scope of an account, or of the whole service. */
  protected scope(key: string | undefined): Scope {
    const scope = key === undefined ? this.#mock.service : this.#mock.accounts.get(key);
    if (scope !== undefined) return scope;
    const text =
      'Failed to find the account: no account has this key. Make an account with it, or use another key.';
    throw new MomoMockError('MOMO_MOCK_ACCOUNT_UNKNOWN', text);
  }
}
