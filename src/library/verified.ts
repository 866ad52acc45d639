export { isPathOf } from '../mock/requests/request-target.ts';

import type { ExpectedRequests } from '../mock/verify/expectation.ts';
import type { MomoScope } from './momo-mock.ts';

/** Called with each expectation that a scope has verified. */
export type VerifiedListener = (expected: ExpectedRequests) => void;

/** A scope with its listeners, which tests do not see. */
export interface Verifiable {
  readonly [VERIFIED]: Set<VerifiedListener>;
}

/**
 * Registered, because the runners and the library load this module from two files of the package.
 */
export const VERIFIED: unique symbol = Symbol.for('momo-mock.verified');

export function verifiedListeners(scope: MomoScope): Set<VerifiedListener> {
  return (scope as MomoScope & Verifiable)[VERIFIED];
}
