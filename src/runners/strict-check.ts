import {
  type Expectation,
  type Expected,
  type JournalEntry,
  type MomoAccount,
  type MomoMock,
  MomoMockError,
} from '../index.ts';
import { verifiedListeners } from '../library/verified.ts';

/**
 * At the end of a test, checks that all scripted responses of its account were used, and that the
 * test verified every refused request.
 */
export class StrictCheck {
  readonly #mock: MomoMock;
  readonly #account: MomoAccount;
  /** The id of the last request before the test; `undefined` if only the account counts. */
  readonly #since: number | undefined;
  readonly #verified: Expectation[] = [];
  readonly #remember = (expected: Expected): void => {
    this.#verified.push(...expectationsOf(expected));
  };

  private constructor(mock: MomoMock, account: MomoAccount, since: number | undefined) {
    this.#mock = mock;
    this.#account = account;
    this.#since = since;
  }

  /**
   * @param isAlone whether no other test uses the mock, so that requests without a valid key belong
   *   to this test
   */
  static async begin(mock: MomoMock, account: MomoAccount, isAlone: boolean): Promise<StrictCheck> {
    const [last] = isAlone ? await mock.requests({ limit: 1 }) : [];
    const check = new StrictCheck(mock, account, isAlone ? (last?.id ?? 0) : undefined);
    for (const scope of [mock, account]) verifiedListeners(scope).add(check.#remember);
    return check;
  }

  /** @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED` */
  async end(): Promise<void> {
    verifiedListeners(this.#mock).delete(this.#remember);
    const ofAccount = await this.#account.requests({ limit: MAX_REQUESTS });
    const others =
      this.#since === undefined
        ? []
        : await this.#mock.requests({ since: this.#since, limit: MAX_REQUESTS });
    const refused = [...ofAccount, ...others.filter(({ account }) => account === null)].filter(
      (entry) =>
        entry.reason !== null && !this.#verified.some((expected) => isExpected(entry, expected)),
    );
    if (refused.length > 0) throw notExpected(refused);
    await this.#account.verifyScripts();
  }
}

/** Later requests of a test are not checked. */
const MAX_REQUESTS = 10_000;
const MAX_LISTED = 10;

function expectationsOf(expected: Expected): readonly Expectation[] {
  if (Array.isArray(expected)) return expected;
  return 'exactly' in expected ? expected.exactly : [expected as Expectation];
}

/** Whether an expectation covers a refused request. Query, headers and body do not count. */
function isExpected(entry: JournalEntry, expectation: Expectation): boolean {
  const { method, path, operation, status, reason, fault } = expectation;
  return (
    (method === undefined || entry.method === method.toUpperCase()) &&
    (path === undefined || entry.path === path) &&
    (operation === undefined || entry.operation === operation) &&
    (status === undefined || entry.status === status) &&
    (reason === undefined || entry.reason === reason) &&
    (fault === undefined || entry.fault === fault)
  );
}

function notExpected(refused: readonly JournalEntry[]): MomoMockError {
  const lines = refused.slice(0, MAX_LISTED).map(({ method, path, status, reason, hint }) => {
    const request = [method, path, status, reason].filter((part) => part !== null).join(' ');
    return `  ${request}. ${hint}`;
  });
  const count = refused.length === 1 ? '1 request was' : `${refused.length} requests were`;
  const [{ reason } = { reason: null }] = refused;
  const text = `Failed to verify: ${count} refused unexpectedly. Correct the code under test, or expect the refusal: await momo.verify({ reason: '${reason}' }).`;
  return new MomoMockError('MOMO_MOCK_NOT_VERIFIED', [text, ...lines].join('\n'));
}
