import type {} from 'expect';
import { drills, type MomoDrillOptions, MomoMockError } from './index.ts';
import { type MomoMatchers, matchers } from './runners/matchers.ts';

export { type MomoMatchers, matchers } from './runners/matchers.ts';

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends MomoMatchers {}
}

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: the parameters must match the original
    interface Matchers<R, T = {}> extends MomoMatchers {}
  }
}

declare const test: (name: string, run: () => Promise<void>, timeout: number) => void;
declare const afterAll: (run: () => Promise<void>) => void;
declare const expect: { extend(added: typeof matchers): void } | undefined;

if (typeof expect === 'undefined') {
  const text =
    'Failed to add toHaveReceived: there is no global expect. Import momo-mock/jest in a test or in setupFilesAfterEnv of jest.';
  throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
}
expect.extend(matchers);

/** A day, in ms: each failure has its own limit. */
const NO_TIMEOUT = 86_400_000;

/**
 * Runs an application through failures, such as a lost response, and judges whether the customer's money
 * is right: each failure is a test. One that is not applicable passes.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if an option is not valid
 */
export function drill(options: MomoDrillOptions): void {
  const failures = drills(options);
  for (const { name, run } of failures) {
    test(name, async () => void (await run()), NO_TIMEOUT);
  }
  afterAll(() => failures.close());
}
