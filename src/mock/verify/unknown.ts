import type { Difference } from '../journal/filter.ts';
import type { JournalRecord } from '../journal/record.ts';
import { MAX_BODY_BYTES } from '../limits.ts';
import { FAULTS } from '../responses/faults.ts';
import { allDifferences, type Content } from './difference.ts';
import type { AnyExpectation } from './expectation.ts';
import { type Compared, countOf, type Words } from './subject.ts';

/** Why the journal cannot tell whether some entries match, and what to do, each in one line. */
const UNKNOWN = {
  'body-cut': (entries: string) =>
    `The body of ${entries} was cut at ${MAX_BODY_BYTES / 1024} KiB. Send a shorter body, or leave body out of the expectation.`,
  'body-encoded': (entries: string) =>
    `The body of ${entries} cannot be decoded. Send it in an encoding that the mock knows, or leave body out of the expectation.`,
  'not-utf8': (entries: string) =>
    `The body of ${entries} is not UTF-8. Leave out what the expectation compares with other bytes.`,
  'in-flight': (entries: string, isOne: boolean) =>
    `${entries} ${isOne ? 'is' : 'are'} still in flight. Set timeout to wait for ${isOne ? 'its' : 'their'} end.`,
};

export type Unknown = keyof typeof UNKNOWN;

/**
 * Whether a record matches an expectation, or why the journal cannot tell: it matches all that the
 * journal has of it.
 */
export function matchOf(
  record: JournalRecord,
  content: Content,
  expectation: AnyExpectation,
): boolean | Unknown {
  let unknown: Unknown | undefined;
  for (const difference of allDifferences(record, content, expectation)) {
    const reason = unknownIn(record, content, expectation, difference);
    if (reason === undefined) return false;
    unknown ??= reason;
  }
  return unknown ?? true;
}

function unknownIn(
  record: JournalRecord,
  content: Content,
  { status, ended }: AnyExpectation,
  difference: Difference,
): Unknown | undefined {
  const { source = null, fault }: Compared = record;
  const isPending = !record.ended && record.status === null;
  switch (difference.place[0]) {
    case 'status':
      return isPending && (fault == null || FAULTS[fault].hasStatus) ? 'in-flight' : undefined;
    case 'ended':
      return isPending && status === null && ended === undefined ? 'in-flight' : undefined;
    case 'reason':
    case 'fault':
      return isPending && source === null ? 'in-flight' : undefined;
    case 'body':
      if (content.bodyCut) return content.text === '' ? 'body-encoded' : 'body-cut';
      if (content.text === '' && !record.ended && source === null) return 'in-flight';
      return isOtherText(content.text, difference) ? 'not-utf8' : undefined;
    default:
      return undefined;
  }
}

/** Whether bytes that are not UTF-8 may stand for what is expected: never for ASCII. */
function isOtherText(text: string, { place, expected, received }: Difference): boolean {
  const [bytes, letters] = received === undefined ? [text, place.at(-1)] : [received, expected];
  return typeof bytes === 'string' && bytes.includes('\uFFFD') && /[^\0-\x7f]/.test(`${letters}`);
}

/** How many of some entries may also match, with those that the journal dropped, and why it cannot tell. */
export function unknownAmong(
  matches: readonly (boolean | Unknown | undefined)[],
  dropped: number,
  words: Words,
): { count: number; lines: string[] } {
  const reasons = matches.filter((match) => typeof match === 'string');
  const lines = [...new Set(reasons)].map((reason) => {
    const { length } = reasons.filter((other) => other === reason);
    return UNKNOWN[reason](countOf(words, length), length === 1);
  });
  if (dropped > 0) {
    lines.push(
      `The journal removed ${countOf(words, dropped, 'older ')} to make room. Raise MOMO_MOCK_JOURNAL_SIZE or MOMO_MOCK_JOURNAL_BYTES, or clear the journal first.`,
    );
  }
  return { count: dropped + reasons.length, lines };
}
