import { test as base, type TestAPI } from 'vitest';
import { type MomoAccount, type MomoMock, MomoMockError, startMomoMock } from './index.ts';

/** The fixtures that a test can use. */
export interface MomoFixtures {
  /** A separate account for this test. It is removed when the test ends. */
  readonly momo: MomoAccount;
  /** The mock that all tests of a worker share. A change to it applies to all of them. */
  readonly momoMock: MomoMock;
}

/**
 * Makes a `test` like {@link test} that uses another mock: one with options, or one that runs
 * elsewhere. `const test = testWith(() => connectMomoMock('http://localhost:8480'));`
 *
 * @param open returns the mock. It is called once per worker; the mock is closed with the worker
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if it is not a function
 */
export function testWith(open: () => Promise<MomoMock>): TestAPI<MomoFixtures> {
  if (typeof open !== 'function') throw invalidOpen('it is not a function');
  return base.extend<MomoFixtures>({
    momoMock: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads the needed fixtures from it
      async ({}, use) => {
        const mock: MomoMock | undefined = await open();
        if (mock?.createAccount === undefined) throw invalidOpen('it returns no mock');
        await use(mock);
        await mock.close();
      },
      { scope: 'worker' },
    ],
    momo: async ({ momoMock }, use) => {
      const account = await momoMock.createAccount();
      await use(account);
      // Also remove its journal entries, because a worker may run thousands of tests.
      await account.reset();
      await account.remove();
    },
  });
}

/**
 * vitest's `test` with a separate account for each test, so that tests can run concurrently:
 * `test('…', async ({ momo }) => …)`. The mock is started for the first test of a worker that uses
 * it, and closed with the worker.
 */
export const test: TestAPI<MomoFixtures> = testWith(() => startMomoMock());

function invalidOpen(problem: string): MomoMockError {
  const text = `Failed to open the mock of testWith: ${problem}. Pass a function such as () => startMomoMock().`;
  return new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
}
