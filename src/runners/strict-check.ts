import {
  type MomoAccount,
  type MomoMock,
  MomoMockError,
  type MomoScope,
  type RequestEntry,
  type RequestExpectation,
  type WebhookEntry,
  type WebhookExpectation,
} from '../index.ts';
import { parseExact, writeJson } from '../mock/json/exact-json.ts';
import { contained } from '../mock/verify/contained.ts';

/**
 * Begins a check of a test. The returned function, for its end, throws `MOMO_MOCK_NOT_VERIFIED`.
 *
 * @param isAlone whether requests without a valid key, and what is scripted for the mock, belong to
 *   this test
 */
export async function beginStrictCheck(
  mock: MomoMock,
  account: MomoAccount,
  isAlone: boolean,
): Promise<() => Promise<void>> {
  // What was left before belongs to another test, or to the whole file.
  const isUsed =
    isAlone &&
    (await mock.verifyUsed().then(
      () => true,
      () => false,
    ));
  const [last] = isAlone ? await mock.requests({ limit: 1 }) : [];
  const ofAccount = recordVerified(account);
  const ofMock = recordVerified(mock);
  const before = { requests: ofMock.requests.length, webhooks: ofMock.webhooks.length };
  /** The requests that count for this test and match the fields of an expectation, or all of them. */
  const received = async ({
    times: _,
    query: _q,
    headers: _h,
    body,
    ...fields
  }: RequestExpectation) => {
    const own = await account.requests({ ...fields, limit: MAX_REQUESTS });
    const all = isAlone
      ? await mock.requests({ ...fields, since: last?.id ?? 0, limit: MAX_REQUESTS })
      : [];
    const entries = [...own, ...all.filter((entry) => entry.account === null)];
    return entries.filter((entry) => hasBody(entry, body));
  };
  return async () => {
    const verified = [...ofAccount.requests, ...ofMock.requests.slice(before.requests)].filter(
      mayHappen,
    );
    const refused = (await received({})).filter(({ reason }) => reason !== null);
    const expected = refused.length === 0 ? [] : await Promise.all(verified.map(received));
    const expectedIds = new Set(expected.flat().map(({ id }) => id));
    const unexpected = refused.filter(({ id }) => !expectedIds.has(id));
    if (unexpected.length > 0) throw notExpected(unexpected);
    await checkWebhooks(account, [
      ...ofAccount.webhooks,
      ...ofMock.webhooks.slice(before.webhooks),
    ]);
    await (isUsed ? mock : account).verifyUsed();
  };
}

/** A strict test checks no more. */
const MAX_REQUESTS = 10_000;
const MAX_LISTED = 10;

/** @throws MomoMockError if a webhook did not get through, and no expectation names its last result */
async function checkWebhooks(
  account: MomoAccount,
  verified: readonly WebhookExpectation[],
): Promise<void> {
  await sendDue(account);
  const failed = failedWebhooks(await endedAttempts(account));
  if (failed.length === 0) return;
  // Only one that names the failure expects it: a body may also be that of a webhook that arrived.
  const expecting = verified.filter(
    (one) => mayHappen(one) && (one.status !== undefined || one.reason !== undefined),
  );
  const expected = await Promise.all(
    expecting.map(async ({ times: _, headers: _h, body, ...fields }) => {
      const attempts = await account.webhooks({ ...fields, limit: MAX_REQUESTS });
      return attempts.filter((attempt) => hasBody(attempt, body));
    }),
  );
  const expectedIds = new Set(expected.flat().map(({ id }) => id));
  const unexpected = failed.filter(({ id }) => !expectedIds.has(id));
  if (unexpected.length > 0) throw notArrived(unexpected);
}

/** Whether it expects something, and not that it never happens. */
function mayHappen({ times }: RequestExpectation | WebhookExpectation): boolean {
  return (typeof times === 'object' ? times.max : times) !== 0;
}

/**
 * Waits for the webhooks that are due: a test may end right after the response, before the mock has
 * sent them. If the test froze the clock, they are not sent.
 */
async function sendDue(account: MomoAccount): Promise<void> {
  const { account: saved } = await account.snapshot();
  const clock = saved?.clock as { readonly frozenAt?: number } | undefined;
  const webhooks = (saved?.webhooks ?? []) as readonly { readonly wait: number }[];
  if (clock?.frozenAt !== undefined || webhooks.every(({ wait }) => wait > 0)) return;
  // A timer of a handler that fails is in the log.
  await account.advance(0).catch(() => {});
}

/** All attempts. Those in flight get time to end, so that the result does not depend on theirs. */
async function endedAttempts(account: MomoAccount): Promise<readonly WebhookEntry[]> {
  const attempts = await account.webhooks({ limit: MAX_REQUESTS });
  if (attempts.every(({ accepted }) => accepted !== null)) return attempts;
  await account.webhooks({ waitFor: attempts.length, limit: MAX_REQUESTS }).catch(() => {});
  return await account.webhooks({ limit: MAX_REQUESTS });
}

/** The last attempt of each webhook that did not arrive. */
function failedWebhooks(attempts: readonly WebhookEntry[]): WebhookEntry[] {
  const last = new Map(attempts.map((attempt) => [attempt.webhookId, attempt]));
  for (const { webhookId, accepted, reason, forge, status } of attempts) {
    // A test has scripted that it is lost, or that the application should refuse it.
    const isScripted = reason === 'lost' || (forge !== null && status !== null);
    if (accepted === true || isScripted) last.delete(webhookId);
  }
  return [...last.values()];
}

/** Whether an entry has an expected body, as far as the journal shows it. */
function hasBody({ body: text }: { readonly body: string }, expected: unknown): boolean {
  if (expected === undefined) return true;
  const isHidden = (received: unknown) => `${received}`.includes('[redacted]');
  if (typeof expected === 'string') return text.includes(expected) || isHidden(text);
  try {
    const json = parseExact(writeJson(expected));
    const differences = [...contained(parseExact(text), json, ['body'])];
    return differences.every(({ received }) => isHidden(received));
  } catch {
    return false;
  }
}

interface Verified {
  readonly requests: RequestExpectation[];
  readonly webhooks: WebhookExpectation[];
}

const recorded = new WeakMap<MomoScope, Verified>();

/** Returns the lists that get each expectation that a scope verifies from now on. */
function recordVerified(scope: MomoScope): Verified {
  const known = recorded.get(scope);
  if (known !== undefined) return known;
  const verified: Verified = { requests: [], webhooks: [] };
  recorded.set(scope, verified);
  const { verify, verifyWebhooks } = scope;
  scope.verify = async (expected, options) => {
    await verify(expected, options);
    verified.requests.push(...expectationsOf<RequestExpectation>(expected));
  };
  scope.verifyWebhooks = async (expected, options) => {
    await verifyWebhooks(expected, options);
    verified.webhooks.push(...expectationsOf<WebhookExpectation>(expected));
  };
  return verified;
}

function expectationsOf<Expectation>(
  expected: Expectation | readonly Expectation[] | { readonly exactly: readonly Expectation[] },
): readonly Expectation[] {
  if (Array.isArray(expected)) return expected;
  const { exactly } = expected as { readonly exactly?: readonly Expectation[] };
  return exactly ?? [expected as Expectation];
}

function notArrived(failed: readonly WebhookEntry[]): MomoMockError {
  const lines = failed
    .slice(0, MAX_LISTED)
    .map(({ method, url, attempt, ...entry }) =>
      `  ${method} ${url} attempt ${attempt}: ${resultOf(entry)}. ${entry.hint ?? ''}`.trimEnd(),
    );
  const count = failed.length === 1 ? '1 webhook' : `${failed.length} webhooks`;
  const [{ status, reason } = { status: null, reason: null }] = failed;
  const field = status === null ? `reason: '${reason}'` : `status: ${status}`;
  const isKnown = status !== null || reason !== null;
  const advice = isKnown
    ? `or expect it: await momo.verifyWebhooks({ ${field} })`
    : 'or wait for its end: await momo.webhooks({ waitFor: 1 })';
  const text = `Failed to verify: ${count} did not get through. Correct the application, advance the clock for further attempts, ${advice}.`;
  return new MomoMockError('MOMO_MOCK_NOT_VERIFIED', [text, ...lines].join('\n'));
}

function resultOf({ status, reason }: Pick<WebhookEntry, 'status' | 'reason'>): string {
  return `${status ?? reason ?? 'still in flight'}`;
}

function notExpected(refused: readonly RequestEntry[]): MomoMockError {
  const lines = refused.slice(0, MAX_LISTED).map(({ method, path, status, reason, hint }) => {
    const request = [method, path, status, reason].filter((part) => part !== null).join(' ');
    return `  ${request}. ${hint ?? ''}`.trimEnd();
  });
  const count = refused.length === 1 ? '1 request was' : `${refused.length} requests were`;
  const [{ reason, account } = { reason: null, account: null }] = refused;
  // Without a valid key, the request belongs to no account.
  const scope = account === null ? 'momoMock' : 'momo';
  const text = `Failed to verify: ${count} refused unexpectedly. Correct the code under test, or expect the refusal: await ${scope}.verify({ reason: '${reason}' }).`;
  return new MomoMockError('MOMO_MOCK_NOT_VERIFIED', [text, ...lines].join('\n'));
}
