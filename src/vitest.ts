import { test as base, type TestAPI } from 'vitest';
import { type MomoAccount, type MomoMock, MomoMockError, startMomoMock } from './index.ts';

/** The fixtures that a test can use. */
export interface MomoFixtures {
  /** The account of this test alone. It is removed when the test ends. */
  readonly momo: MomoAccount;
  /** The mock that all tests of a worker share. What is configured on it applies to all of them. */
  readonly momoMock: MomoMock;
}

/**
 * Makes a `test` as {@link test} is, with another mock: one with options, or one that runs
 * elsewhere. `const test = testWith(() => connectMomoMock('http://localhost:8480'));`
 *
 * @param open gives the mock; called once a worker, and closed with it
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` where it is no function
 */
export function testWith(open: () => Promise<MomoMock>): TestAPI<MomoFixtures> {
  if (typeof open !== 'function') throw invalidOpen('it is no function');
  return base.extend<MomoFixtures>({
    momoMock: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it what a fixture needs
      async ({}, use) => {
        const mock: MomoMock | undefined = await open();
        if (mock?.createAccount === undefined) throw invalidOpen('it gives no mock');
        await use(mock);
        await mock.close();
      },
      { scope: 'worker' },
    ],
    momo: async ({ momoMock }, use) => {
      const account = await momoMock.createAccount();
      await use(account);
      // Its entries in the journal, too: a worker may run thousands of tests.
      await account.reset();
      await account.remove();
    },
  });
}

/**
 * vitest's `test` with an account of a mock for each test, so that tests can also run concurrently:
 * `test('…', async ({ momo }) => …)`. The mock is started for the first test of a worker that
 * wants it, and closed with the worker.
 */
export const test: TestAPI<MomoFixtures> = testWith(() => startMomoMock());

function invalidOpen(problem: string): MomoMockError {
  const text = `Failed to open the mock of testWith: ${problem}. Give a function such as () => startMomoMock().`;
  return new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
}
