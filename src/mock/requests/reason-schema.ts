import { distance } from 'fastest-levenshtein';
import * as Type from 'typebox';
import { define } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { HINTS, type RequestReason } from './reason.ts';

const OF_MOCK = Object.keys(HINTS);
const MAX_TYPOS = 2;

/** Almost a reason of the mock: a test that expects none of a mistyped one would always pass. */
function isMistyped(reason: string): boolean {
  return !OF_MOCK.includes(reason) && OF_MOCK.some((name) => distance(reason, name) <= MAX_TYPOS);
}

const GIVEN = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 });

/** A reason in an entry. */
export const ANY_REASON: Definition<RequestReason> = define(
  Type.Unsafe<RequestReason>(Type.Union([Type.Enum(OF_MOCK), Type.String()])),
);

/** A reason that a handler gives, or that a test expects. */
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

/** It is one line. */
export const HINT = Type.String({
  description: 'How to fix the problem, for the journal and the log.',
  title: 'one line of at most 300 characters',
  pattern: '^[^\\x00-\\x1f\\x7f]+$',
  maxLength: 300,
});
