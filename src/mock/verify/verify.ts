import { closed, MomoMockError } from '../../errors.ts';
import { monotonicTime } from '../../timers.ts';
import { inTurns } from '../in-turns.ts';
import type { RequestEntry } from '../journal/entry.ts';
import { DEFAULT_LIMIT, type Difference, type Filter, SUCCESSFUL } from '../journal/filter.ts';
import { bytesOf, type JournalRecord } from '../journal/record.ts';
import { writeJson } from '../json/exact-json.ts';
import { MAX_EXPECTATION_BYTES, MAX_MESSAGE_BYTES } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { Script } from '../responses/scripted-response.ts';
import { ANY_OPERATION } from '../responses/source-words.ts';
import type { ScriptedWebhook } from '../webhooks/webhook-script.ts';
import { allDifferences, Content } from './difference.ts';
import type { AnyExpectation, MomoVerifyOptions } from './expectation.ts';
import { shownDifference, shownExpectation, shownWebhook } from './shown.ts';
import { counts, lineOf, type VerifiedEntry, WORDS, type Words } from './subject.ts';
import { matchOf, unknownAmong } from './unknown.ts';
import {
  type Failure,
  inWords,
  MAX_NAMED,
  matchedInWords,
  shortValue,
  timesInWords,
  Verification,
  type Verified,
} from './verification.ts';

const MAX_CLOSEST = 3;
const MAX_DIFFERENCES = 20;

/** Verifies the entries of a journal, or waits until they are as expected. */
export async function verifyEntries(
  verified: Verified,
  { timeout = 0 }: MomoVerifyOptions = {},
  signal?: AbortSignal,
): Promise<void> {
  const { journal, account } = verified;
  if (Buffer.byteLength(writeJson(verified.expected)) > MAX_EXPECTATION_BYTES) {
    const text = `Failed to read the expectation: it is longer than ${MAX_EXPECTATION_BYTES / 1024} KiB as JSON. Expect less in one call.`;
    throw new MomoMockError('MOMO_MOCK_TOO_LARGE', text);
  }
  const verification = new Verification(verified);
  const until = monotonicTime() + timeout;
  const watch = journal.watch({ account });
  try {
    // All records, and then only those that have changed.
    for (let records: JournalRecord[] | undefined; ; records = [...watch.matching]) {
      watch.matching.clear();
      const isLast = until <= monotonicTime();
      const failure = await verification.compare(records);
      if (failure === undefined) return;
      if (!isLast && journal.isClosed) throw closed();
      if (isLast || signal?.aborted === true) {
        throw await notVerified(verified.aim ?? 'verify', failure, journal, { account });
      }
      await journal.until(watch, 1, Math.max(1, until - monotonicTime()), signal);
    }
  } finally {
    journal.unwatch(watch);
  }
}

/** @param filter which records may be the closest */
export async function notVerified(
  aim: 'verify' | 'wait' | 'finish',
  { sentence, expectation, isMissing, named, unknown = [] }: Failure,
  journal: Verified['journal'],
  filter: Filter,
): Promise<NotVerifiedError<VerifiedEntry>> {
  const { kind, redactor } = journal;
  const words = WORDS[kind];
  const records = journal.matching(filter);
  const closest = isMissing ? await closestTo(expectation, records.slice(-DEFAULT_LIMIT)) : [];
  const [first] = closest;
  const others = named.slice(0, MAX_NAMED).flatMap(({ id }) => journal.get(id) ?? []);
  const shown = shownExpectation(expectation, redactor, [
    ...(first === undefined ? [] : [first.record]),
    ...others,
  ]);
  const entries = closest.map(({ record }) => record.entry(redactor));
  const lines = [`Failed to ${aim}: ${sentence(inWords(words, shown))}.`];
  if (first !== undefined && entries[0] !== undefined) {
    lines.push(...closestLines(first, entries[0], shown, words));
  }
  lines.push(...unknown);
  if (isMissing) {
    const mayCome = aim === 'verify' ? words.mayCome : words.mayBeLate;
    const [different, ...others] = first?.different ?? [];
    // finish() expects 2xx unless it is given a status, so that a lost response does not match.
    if (
      expectation.status === SUCCESSFUL &&
      different?.place[0] === 'status' &&
      others.length === 0
    ) {
      lines.push(`If this is the request, set status: ${different.received}.`);
    }
    lines.push(records.length === 0 && unknown.length === 0 ? words.none : mayCome);
  }
  return new NotVerifiedError(cut(lines.join('\n')), entries);
}

function cut(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= MAX_MESSAGE_BYTES) return message;
  const note = `…\nThe message is truncated. It has ${bytes.length} bytes.`;
  return bytes.subarray(0, MAX_MESSAGE_BYTES - Buffer.byteLength(note)).toString() + note;
}

/** What is left of the scripts of an account, or of all accounts. */
export interface Unused {
  readonly account: string | undefined;
  readonly responses: readonly Script[];
  readonly webhooks: readonly ScriptedWebhook[];
}

/**
 * Throws if scripts were not used.
 *
 * @param asked the account that is verified, which the message does not repeat
 */
export function verifyUsed(
  scopes: readonly Unused[],
  asked: string | undefined,
  redactor: Redactor,
): void {
  const responses = scopes.flatMap(({ responses }) => responses);
  const webhooks = scopes.flatMap(({ webhooks }) => webhooks);
  const unused = scopes.flatMap(({ account, responses, webhooks }) => {
    const start = account === asked ? '  ' : `  ${account}, `;
    return [
      ...responses.map(({ operation = ANY_OPERATION, given, left }) => () => {
        const shown = Object.entries(given).filter(([name]) => !NOT_SHOWN.includes(name));
        return `${start}${operation}: ${left} of ${given.times ?? 1} left of ${shortValue(Object.fromEntries(shown))}`;
      }),
      ...webhooks.map(
        (webhook) => () => `${start}webhook: ${shortValue(shownWebhook(webhook, redactor))}`,
      ),
    ];
  });
  if (unused.length === 0) return;
  const lines = unused.slice(0, MAX_SCRIPTS).map((line) => line());
  const more = unused.length - lines.length;
  if (more > 0) lines.push(`  ${more} more`);
  const counts = [counted(responses, 'scripted response'), counted(webhooks, 'scripted webhook')];
  const all = `${counts.filter(Boolean).join(' and ')} ${unused.length === 1 ? 'was' : 'were'}`;
  const uses = [responses.length > 0 && 'the requests', webhooks.length > 0 && 'the webhooks'];
  const text = `Failed to verify: ${all} not used. Send ${uses.filter(Boolean).join(' and ')} that use ${unused.length === 1 ? 'it' : 'them'}, or script fewer.\n`;
  throw new MomoMockError('MOMO_MOCK_NOT_VERIFIED', text + lines.join('\n'));
}

function counted({ length }: readonly unknown[], noun: string): string {
  return length === 0 ? '' : `${length} ${noun}${length === 1 ? '' : 's'}`;
}

const MAX_SCRIPTS = 10;
const NOT_SHOWN = ['operation', 'times', 'body', 'headers', 'webhook'];

export class NotVerifiedError<Entry = RequestEntry> extends MomoMockError {
  /** The closest entries, the closest first, without secrets. */
  readonly closest: readonly Entry[];

  constructor(message: string, closest: readonly Entry[]) {
    super('MOMO_MOCK_NOT_VERIFIED', message);
    this.closest = closest;
  }
}

interface Closest {
  readonly record: JournalRecord;
  readonly different: readonly Difference[];
}

/** The records that are closest to an expectation, the closest first, and among equals the newest. */
async function closestTo(
  expectation: AnyExpectation,
  records: readonly JournalRecord[],
): Promise<Closest[]> {
  const counted = records.filter((record) => counts(record, expectation));
  const compared = await inTurns(counted, bytesOf, (record) => {
    return { record, different: [...allDifferences(record, new Content(record), expectation)] };
  });
  return compared
    .filter(({ different }) => different.length > 0)
    .reverse()
    .sort((a, b) => a.different.length - b.different.length)
    .slice(0, MAX_CLOSEST);
}

function closestLines(
  { record, different }: Closest,
  entry: VerifiedEntry,
  shown: AnyExpectation,
  words: Words,
): string[] {
  const named = different.slice(0, MAX_DIFFERENCES).map((difference) => {
    const { field, expected, received } = shownDifference(difference, shown, entry, record.bodyCut);
    return `  ${field}: expected ${shortValue(expected)}, received ${shortValue(received)}`;
  });
  const more = different.length - named.length;
  return [
    `The closest is ${lineOf(words, entry)}:`,
    ...named,
    ...(more > 0 ? [`  ${more} more differences`] : []),
    ...(entry.hint === null ? [] : [`  ${entry.hint}`]),
  ];
}

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
