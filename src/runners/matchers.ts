import {
  type ExpectedRequests,
  MomoMockError,
  type MomoScope,
  type MomoVerifyOptions,
} from '../index.ts';

/** The matchers that `momo-mock/vitest` and `momo-mock/jest` add to `expect`. */
export interface MomoMatchers {
  /**
   * Passes if a mock or an account has received the expected requests: `await
   * expect(momo).toHaveReceived({ path: '/momo/balance', times: 2 })`. It fails with the message of
   * `verify`.
   *
   * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if the value is neither a mock nor an
   *   account, or the expectation is invalid
   */
  toHaveReceived(expected: ExpectedRequests, options?: MomoVerifyOptions): Promise<void>;
}

/** The matchers, for `expect.extend`. */
export const matchers = {
  async toHaveReceived(received: unknown, expected: ExpectedRequests, options?: MomoVerifyOptions) {
    const { verify } = Object(received) as Partial<MomoScope>;
    if (verify === undefined) throw new MomoMockError('MOMO_MOCK_REQUEST_INVALID', NO_MOCK);
    const error = await verify(expected, options).then(() => undefined, notVerified);
    const message = error?.message ?? `Failed to verify: received ${expectationText(expected)}.`;
    return { pass: error === undefined, message: () => message };
  },
};

function expectationText(expected: ExpectedRequests): string {
  return JSON.stringify(expected, (_name, value) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

const NO_MOCK =
  'Failed to read the value of expect: it is neither a mock nor an account. Use expect(momo).toHaveReceived(…).';

function notVerified(error: unknown): MomoMockError {
  if (error instanceof MomoMockError && error.code === 'MOMO_MOCK_NOT_VERIFIED') return error;
  throw error;
}
