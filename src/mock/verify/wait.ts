import { DEFAULT_LIMIT, type Filter } from '../journal/filter.ts';
import { hasEnded, lineOf, WORDS } from './subject.ts';
import { droppedLine, matchOf, type Unknown, unknownLine } from './unknown.ts';
import { inWords, matchedInWords, timesInWords, type Verified } from './verification.ts';
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
  const { entries } = await journal.read({ account, since });
  const unknown = new Map<Unknown, number>();
  const matching = entries.filter((entry) => {
    const match = matchOf(entry, missing, journal.redactor);
    const isInFlight = match === true && journal.kind === 'webhooks' && !hasEnded(entry);
    const reason = isInFlight ? 'in-flight' : match;
    if (typeof reason === 'string') unknown.set(reason, (unknown.get(reason) ?? 0) + 1);
    return reason === true;
  });
  const lines = Array.from(unknown, ([reason, count]) => unknownLine(reason, count, words));
  const dropped = journal.dropped.count(account, since);
  if (dropped > 0) lines.push(droppedLine(dropped, words));
  const matched = matchedInWords(
    words,
    matching.map((entry) => ({ line: lineOf(words, entry) })),
    entries.length,
  );
  const after = since === 0 ? '' : ` after ${words.noun} ${since}`;
  const times = timesInWords(waitFor, Infinity);
  const sentence = `expected ${inWords(words, missing)} ${times}${after} within ${timeout} ms, but ${matched}`;
  const latest = { total: entries.length, entries: entries.slice(-DEFAULT_LIMIT) };
  return notVerified('wait', { sentence, missing, unknown: lines }, latest, journal);
}
