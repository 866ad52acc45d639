import type {} from 'expect';
import { MomoMockError } from './index.ts';
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

declare const expect: { extend(added: typeof matchers): void } | undefined;

if (typeof expect === 'undefined') {
  const text =
    'Failed to add toHaveReceived: there is no global expect. Import momo-mock/jest in a test or in setupFilesAfterEnv of jest.';
  throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', text);
}
expect.extend(matchers);
