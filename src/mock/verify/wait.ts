import { inTurns } from '../in-turns.ts';
import type { Filter } from '../journal/filter.ts';
import { bytesOf } from '../journal/record.ts';
import { Content } from './difference.ts';
import { WORDS } from './subject.ts';
import { matchOf, unknownAmong } from './unknown.ts';
import { matchedInWords, timesInWords, type Verified } from './verification.ts';
import { type NotVerifiedError, notVerified } from './verify.ts';

/** The error if fewer entries than a test waited for match a filter: it says what came instead. */
export async function tooFew(
  journal: Verified['journal'],
  filter: Filter,
  { waitFor, timeout }: { readonly waitFor: number; readonly timeout: number },
): Promise<NotVerifiedError<object>> {
  const { since = 0, account, limit: _, ...missing } = filter;
  // Attempts have no such field: those in flight are counted below.
  if (journal.kind === 'webhooks') delete missing.ended;
  const words = WORDS[journal.kind];
  const records = journal.matching({ account, since });
  const matches = await inTurns(records, bytesOf, (record) => {
    const match = matchOf(record, new Content(record), missing);
    const isInFlight = match === true && journal.kind === 'webhooks' && !record.ended;
    return { id: record.id, match: isInFlight ? 'in-flight' : match } as const;
  });
  const dropped = journal.dropped.count(account, since);
  const { lines: unknown } = unknownAmong(
    matches.map(({ match }) => match),
    dropped,
    words,
  );
  const matching = matches.filter(({ match }) => match === true);
  const matched = matchedInWords(journal, matching, records.length);
  const after = since === 0 ? '' : ` after ${words.noun} ${since}`;
  const times = timesInWords(waitFor, Infinity);
  const failure = {
    sentence: (expectation: string) =>
      `expected ${expectation} ${times}${after} within ${timeout} ms, but ${matched}`,
    expectation: missing,
    isMissing: true,
    named: matching,
    unknown,
  };
  return await notVerified('wait', failure, journal, { account, since });
}
