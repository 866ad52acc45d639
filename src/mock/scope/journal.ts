import { closed } from '../../errors.ts';
import type { CallbackEntry, JournalEntry } from '../journal/entry.ts';
import {
  DEFAULT_LIMIT,
  DEFAULT_TIMEOUT,
  type Filter,
  type RequestsOptions,
} from '../journal/filter.ts';
import type { FoundEntries, Journal } from '../journal/journal.ts';
import type { RecordKind } from '../journal/record.ts';
import type { ScopeId } from '../store/store.ts';
import type { AnyExpected, VerifyOptions } from '../verify/expectation.ts';
import type { PossibleContext } from '../verify/possible.ts';
import type { ScopeContext } from './context.ts';

/** An account's entries in a journal; for the whole service, all entries. */
export class ScopeJournal<Entry extends JournalEntry | CallbackEntry> {
  protected readonly context: ScopeContext;
  protected readonly id: ScopeId;
  readonly #kind: RecordKind;
  readonly #awaited: Filter;

  /** @param awaited what an entry must also match to count for `waitFor` */
  constructor(context: ScopeContext, id: ScopeId, kind: RecordKind, awaited: Filter = {}) {
    this.context = context;
    this.id = id;
    this.#kind = kind;
    this.#awaited = awaited;
  }

  /**
   * The entries that match a filter, once there are enough. `limit` defaults to 1000, or to
   * `waitFor` if that is greater.
   *
   * @param signal aborted when the caller stops waiting
   * @throws MomoMockError as {@link verify}, for a filter that nothing can match
   */
  async find(
    options: Filter & Pick<RequestsOptions, 'waitFor' | 'timeout'>,
    signal?: AbortSignal,
  ): Promise<FoundEntries<Entry>> {
    const { waitFor = 0, timeout = DEFAULT_TIMEOUT, ...given } = options;
    const filter = { ...given, account: this.id };
    const limit = filter.limit ?? Math.max(DEFAULT_LIMIT, waitFor);
    const { store } = this.context;
    await store.synced();
    await this.#checkPossible(given, { isFilter: true, isWait: waitFor > 0 });
    await this.journal.wait({ ...filter, ...this.#awaited }, waitFor, timeout, signal);
    if (waitFor > 0 && this.journal.isClosed) throw closed();
    // Every process must know what this one waited for.
    if (waitFor > 0) await store.synced();
    return await this.journal.read({ ...filter, limit });
  }

  async clear(): Promise<void> {
    await this.context.store.empty(this.#kind, this.id);
  }

  /**
   * Verifies the entries.
   *
   * @param signal aborted when the caller stops waiting
   * @throws NotVerifiedError `MOMO_MOCK_NOT_VERIFIED`
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`, `MOMO_MOCK_OPERATION_UNKNOWN` if nothing can
   *   match an expectation, or it contains a secret, which the journal does not show
   */
  async verify(
    expected: AnyExpected,
    options: VerifyOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const { verifyEntries } = await import('../verify/verify.ts');
    const { store, journals, redactor } = this.context;
    const kind = this.#kind;
    await store.synced();
    await this.#checkPossible(expected);
    await verifyEntries({
      kind,
      journal: journals[kind],
      redactor,
      account: this.id,
      expected,
      ...options,
      signal,
    });
  }

  async #checkPossible(
    expected: AnyExpected,
    kind: Pick<PossibleContext, 'isFilter' | 'isWait'> = {},
  ): Promise<void> {
    const { checkPossible } = await import('../verify/possible.ts');
    const { operations, redactor } = this.context;
    const has = (filter: Filter) => this.journal.has({ ...filter, account: this.id });
    checkPossible(expected, { operations, redactor, has, ...kind });
  }

  protected get journal(): Journal<Entry> {
    return this.context.journals[this.#kind] as unknown as Journal<Entry>;
  }
}
