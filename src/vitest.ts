import { afterAll, test as base, expect, type TestAPI } from 'vitest';
import {
  drills,
  type MomoAccount,
  type MomoDrillOptions,
  type MomoMock,
  MomoMockError,
  type MomoStartOptions,
  startMomoMock,
} from './index.ts';
import { type MomoMatchers, matchers } from './runners/matchers.ts';
import { beginStrictCheck } from './runners/strict-check.ts';

export type { MomoMatchers } from './runners/matchers.ts';

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the parameters must match the original
  interface Matchers<T = any> extends MomoMatchers {}
}

expect.extend(matchers);

/** The fixtures of {@link test}. */
export interface MomoFixtures {
  /** A separate account for this test, which is removed when the test ends. */
  readonly momo: MomoAccount;
  /** The mock that all tests of a worker share. A change to it applies to all of them. */
  readonly momoMock: MomoMock;
}

/**
 * Options of {@link testWith}: those of `startMomoMock`, for the mock of each worker, and these. With
 * `open`, only `redirect`, `trust` and `strict`.
 */
export interface MomoTestOptions extends MomoStartOptions {
  /**
   * Returns the mock. It is called once per worker, and the mock is closed with the worker.
   *
   * @default startMomoMock, with the other options
   */
  readonly open?: () => Promise<MomoMock>;
  /**
   * Whether a test that uses `momo` fails if it leaves scripted responses or webhook scripts unused,
   * if a request was refused that the test did not verify, or if a webhook of the account did not
   * get through. This covers the account and, unless the tests are concurrent or `open` is set,
   * also requests without a valid key, and what the test scripted for the mock.
   *
   * A webhook did not get through if the application accepted none of its attempts, or if it was not
   * forged as scripted. Such a webhook is expected if the test scripted its loss, if the application
   * refused a forgery, or if a `verifyWebhooks` names the `status` or `reason` of its last attempt.
   * Webhooks that are due at the end of the test are sent first, unless the test froze the clock.
   *
   * @default false
   */
  readonly strict?: boolean;
}

/**
 * Creates a `test` like {@link test} that is strict, whose mock has other options, or that uses
 * another mock, for example one that runs elsewhere: `testWith({ preset: 'chipdeals', strict: true
 * })`, `testWith(() => connectMomoMock('http://localhost:8480'))`.
 *
 * @param options the options, or only `open`
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if they are not valid. Tests fail with the error
 *   of `startMomoMock` if its options are not
 */
export function testWith(
  options: (() => Promise<MomoMock>) | MomoTestOptions,
): TestAPI<MomoFixtures> {
  const { open, strict = false, ...others } = readOptions(options);
  return base.extend<MomoFixtures>({
    momoMock: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads the needed fixtures from it
      async ({}, use) => {
        const mock = await (open === undefined ? start(others) : openMock(open, others));
        try {
          await use(mock);
        } finally {
          await mock.close();
        }
      },
      { scope: 'worker' },
    ],
    momo: async ({ momoMock, task, onTestFinished }, use) => {
      const account = await momoMock.createAccount();
      const isAlone = open === undefined && !task.concurrent;
      const endCheck = strict ? await beginStrictCheck(momoMock, account, isAlone) : undefined;
      let problem: unknown;
      let isFinished = false;
      // A fixture that throws at its end fails every retry, because vitest 4 ends it again in each.
      onTestFinished(() => {
        isFinished = true;
        if (problem !== undefined) throw problem;
      });
      try {
        await use(account);
        problem = await endCheck?.().catch((error: unknown) => error);
        // A fixture of aroundEach ends after the test has finished.
        if (isFinished && problem !== undefined) throw problem;
      } finally {
        // Also remove its journal entries, because a worker may run thousands of tests.
        await account.reset();
        await account.remove();
      }
    },
  });
}

/**
 * vitest's `test` with a separate account for each test, so that tests can run concurrently:
 * `test('…', async ({ momo }) => …)`. The mock starts for the first test of a worker that uses it,
 * and is closed with the worker.
 */
export const test: TestAPI<MomoFixtures> = testWith({});

/**
 * Runs an application through failures, such as a lost response, and judges whether the customer's money
 * is right: each failure is a test.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if an option is not valid
 */
export function drill(options: MomoDrillOptions): void {
  const failures = drills(options);
  for (const { name, run } of failures) {
    // Each failure has its own limit.
    base(name, { timeout: 0 }, async ({ skip }) => {
      const { verdict, sentence } = await run();
      if (verdict === 'not-applicable') skip(sentence);
    });
  }
  afterAll(() => failures.close());
}

function readOptions(given: (() => Promise<MomoMock>) | MomoTestOptions): MomoTestOptions {
  if (typeof given === 'function') return { open: given };
  if (typeof given !== 'object' || given === null) throw invalid('the options: must be an object');
  const { open, strict, redirect, trust, ...others } = given;
  if (open !== undefined && typeof open !== 'function') throw invalid('open: it is not a function');
  for (const [name, value] of Object.entries({ strict, trust })) {
    if (value !== undefined && typeof value !== 'boolean')
      throw invalid(`${name}: must be true or false`);
  }
  if (![redirect ?? []].flat().every((host) => typeof host === 'string'))
    throw invalid('redirect: must be a host name, or a list of them');
  const [other] = open === undefined ? [] : Object.keys(others);
  if (other !== undefined)
    throw invalid(`${other}: cannot be combined with open. Set it where open creates the mock`);
  return given;
}

async function start(options: MomoStartOptions): Promise<MomoMock> {
  return await startMomoMock(options).catch((error: unknown) => {
    if (!(error instanceof MomoMockError) || !error.message.includes('Unknown option')) throw error;
    const text = `${error.message}\nBesides the options of startMomoMock, testWith has only open and strict.`;
    throw new MomoMockError(error.code, text);
  });
}

async function openMock(
  open: () => Promise<MomoMock>,
  { redirect = [], trust = false }: MomoStartOptions,
): Promise<MomoMock> {
  const mock: MomoMock | undefined = await open();
  if (mock?.createAccount === undefined) throw invalid('open: it does not return a mock');
  try {
    mock.redirect(redirect);
    if (trust) mock.trust();
    return mock;
  } catch (error) {
    await mock.close();
    throw error;
  }
}

function invalid(problem: string): MomoMockError {
  const text = `Failed to read the options of testWith: ${problem}. Pass options such as { strict: true }, or a function such as () => startMomoMock().`;
  const error = new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
  // So that vitest shows the line of the call.
  Error.captureStackTrace(error, testWith);
  return error;
}
