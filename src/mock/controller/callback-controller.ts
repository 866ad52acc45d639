import type { CallbackEntry } from '../callbacks/callback-entry.ts';
import type { CallbackFilter, CallbacksOptions } from '../callbacks/callback-filter.ts';
import type { ScriptedCallback } from '../callbacks/callback-script.ts';
import { entriesOf, type Found } from '../journal/record-journal.ts';
import type { Mock } from '../mock.ts';
import type { CallbackExpectation, ExpectedCallbacks } from '../verify/callback-expectation.ts';
import { CALLBACKS } from '../verify/callback-subject.ts';
import type { AnyExpected, VerifyOptions } from '../verify/expectation.ts';
import { verifyEntries } from '../verify/verify.ts';
import { JournalController } from './journal-controller.ts';

/**
 * What a test can configure and query of callbacks. With a key, a call is about those of one
 * account; without a key, about all.
 */
export class CallbackController extends JournalController {
  readonly #mock: Mock;

  constructor(mock: Mock) {
    super(mock);
    this.#mock = mock;
  }

  /**
   * The attempts of callbacks. Those in flight do not count for `waitFor`. The default of `limit` is
   * 1000, or `waitFor` if that is more.
   *
   * @param signal aborted when the caller does not need the result any more
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  async attempts(
    key: string | undefined,
    options: CallbacksOptions,
    signal?: AbortSignal,
  ): Promise<Found<CallbackEntry>> {
    const { journal } = this.#mock.callbacks;
    const ended: CallbackFilter = { isEnded: true };
    return await this.search<CallbackFilter, CallbackEntry>(journal, key, options, signal, ended);
  }

  /**
   * The entries of {@link attempts} as an array.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  async callbacks(key: string | undefined, options: CallbacksOptions): Promise<CallbackEntry[]> {
    return await entriesOf(await this.attempts(key, options));
  }

  /**
   * Verifies that the attempts of callbacks are as expected.
   *
   * @param signal aborted when the caller does not wait any more
   * @throws NotVerifiedError `MOMO_MOCK_NOT_VERIFIED`
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`, `MOMO_MOCK_REQUEST_INVALID` if an expectation
   *   contains a secret, which the journal does not show
   */
  async verifyCallbacks(
    key: string | undefined,
    expected: ExpectedCallbacks,
    options: VerifyOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const { callbacks, redactor } = this.#mock;
    await verifyEntries({
      journal: callbacks.journal,
      subject: CALLBACKS,
      redactor,
      account: this.accountId(key),
      expected: expected as AnyExpected<CallbackExpectation>,
      ...options,
      signal,
    });
  }

  /**
   * Makes one more attempt of a callback, immediately.
   *
   * @param id the id of one of its attempts
   * @returns the new attempt when it has ended; `undefined` if the journal has none with this id
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  async sendAgain(key: string | undefined, id: number): Promise<CallbackEntry | undefined> {
    return await this.#mock.callbacks.sendAgain(id, this.accountId(key));
  }

  /** What happens to the next callbacks, as it was scripted. */
  callbackScript(key: string | undefined): readonly ScriptedCallback[] {
    return this.#mock.callbacks.scripts.get(this.accountId(key));
  }

  /** Scripts what happens to the next callbacks, in place of what was scripted before. */
  scriptCallbacks(key: string | undefined, script: readonly ScriptedCallback[]): void {
    this.#mock.callbacks.scripts.set(script, this.accountId(key));
    this.#mock.feed.change('callbacks');
  }

  /** Empties the journal of callbacks. */
  clearCallbacks(key: string | undefined): void {
    this.#mock.callbacks.journal.clear(this.accountId(key));
  }

  /** Drops the callbacks that are queued or in flight, and what was scripted. */
  protected resetCallbacks(key: string | undefined): void {
    this.#mock.callbacks.reset(this.accountId(key));
  }
}
