import {
  type ExpectedRequests,
  type MomoAccount,
  type MomoMock,
  MomoMockError,
  type RequestEntry,
  type RequestExpectation,
} from '../index.ts';
import { verifiedListeners } from '../library/verified.ts';

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
  const verified: RequestExpectation[] = [];
  const remember = (expected: ExpectedRequests) => void verified.push(...expectationsOf(expected));
  for (const scope of [mock, account]) verifiedListeners(scope).add(remember);
  /** The requests that count for this test and match the fields of an expectation, or all of them. */
  const received = async ({
    times: _,
    query: _q,
    headers: _h,
    body: _b,
    ...fields
  }: RequestExpectation) => {
    const own = await account.requests({ ...fields, limit: MAX_REQUESTS });
    if (!isAlone) return own;
    const all = await mock.requests({ ...fields, since: last?.id ?? 0, limit: MAX_REQUESTS });
    return [...own, ...all.filter((entry) => entry.account === null)];
  };
  return async () => {
    verifiedListeners(mock).delete(remember);
    const refused = (await received({})).filter(({ reason }) => reason !== null);
    const expected = refused.length === 0 ? [] : await Promise.all(verified.map(received));
    const expectedIds = new Set(expected.flat().map(({ id }) => id));
    const unexpected = refused.filter(({ id }) => !expectedIds.has(id));
    if (unexpected.length > 0) throw notExpected(unexpected);
    await account.verifyUsed();
  };
}

/** Later requests of a test are not checked. */
const MAX_REQUESTS = 10_000;
const MAX_LISTED = 10;

function expectationsOf(expected: ExpectedRequests): readonly RequestExpectation[] {
  if (Array.isArray(expected)) return expected;
  return 'exactly' in expected ? expected.exactly : [expected as RequestExpectation];
}

function notExpected(refused: readonly RequestEntry[]): MomoMockError {
  const lines = refused.slice(0, MAX_LISTED).map(({ method, path, status, reason, hint }) => {
    const request = [method, path, status, reason].filter((part) => part !== null).join(' ');
    return `  ${request}. ${hint}`;
  });
  const count = refused.length === 1 ? '1 request was' : `${refused.length} requests were`;
  const [{ reason } = { reason: null }] = refused;
  const text = `Failed to verify: ${count} refused unexpectedly. Correct the code under test, or expect the refusal: await momo.verify({ reason: '${reason}' }).`;
  return new MomoMockError('MOMO_MOCK_NOT_VERIFIED', [text, ...lines].join('\n'));
}
