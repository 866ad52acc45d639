import { distance } from 'fastest-levenshtein';
import * as Type from 'typebox';
import { HINTS, type RequestReason } from './reason.ts';

const OF_MOCK = Object.keys(HINTS);
const MAX_TYPOS = 2;

/** Almost a reason of the mock: a test that expects none of a mistyped one would always pass. */
function isMistyped(reason: string): boolean {
  return !OF_MOCK.includes(reason) && OF_MOCK.some((name) => distance(reason, name) <= MAX_TYPOS);
}

const GIVEN = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 });

/** A reason of the mock, or one that a handler gives. */
export const REASON = (description: string) =>
  Type.Unsafe<RequestReason>(
    Type.Refine(
      Type.Union([Type.Enum(OF_MOCK), GIVEN], {
        description,
        title: `one of ${OF_MOCK.join(', ')}, or a reason that a handler gives: in kebab-case, at most 64 characters, not almost one of these`,
      }),
      (reason) => !isMistyped(`${reason}`),
    ),
  );
