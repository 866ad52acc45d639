import {
  type Expectation,
  type Expected,
  type JournalEntry,
  type MomoAccount,
  type MomoMock,
  MomoMockError,
} from '../index.ts';
import { isPathOf, verifiedListeners } from '../library/verified.ts';

/**
 * Begins a check of a test: that all scripted responses of its account are used, and that the test
 * verifies every refused request.
 *
 * @param isAlone whether no other test uses the mock, so that requests without a valid key belong to
 *   this test
 * @returns a function for the end of the test, which throws `MOMO_MOCK_NOT_VERIFIED`
 */
export async function beginStrictCheck(
  mock: MomoMock,
  account: MomoAccount,
  isAlone: boolean,
): Promise<() => Promise<void>> {
  const [last] = isAlone ? await mock.requests({ limit: 1 }) : [];
  const verified: Expectation[] = [];
  const remember = (expected: Expected) => void verified.push(...expectationsOf(expected));
  for (const scope of [mock, account]) verifiedListeners(scope).add(remember);
  return async () => {
    verifiedListeners(mock).delete(remember);
    const ofAccount = await account.requests({ limit: MAX_REQUESTS });
    const all = isAlone ? await mock.requests({ since: last?.id ?? 0, limit: MAX_REQUESTS }) : [];
    const refused = [...ofAccount, ...all.filter((entry) => entry.account === null)].filter(
      (entry) => entry.reason !== null && !verified.some((expected) => isExpected(entry, expected)),
    );
    if (refused.length > 0) throw notExpected(refused);
    await account.verifyScripts();
  };
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
    (path === undefined || isPathOf(path, entry)) &&
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
