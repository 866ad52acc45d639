import { closed, MomoMockError } from '../../errors.ts';
import { monotonicTime } from '../../timers.ts';
import type { CallbackEntry, JournalEntry } from '../journal/entry.ts';
import { DEFAULT_LIMIT } from '../journal/filter.ts';
import type { Found, Journal } from '../journal/journal.ts';
import type { RecordKind } from '../journal/record.ts';
import { MAX_EXPECTATION_BYTES, MAX_MESSAGE_BYTES } from '../limits.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { Script } from '../scripted-response.ts';
import { type Difference, differences } from './difference.ts';
import type { AnyExpectation, AnyExpected } from './expectation.ts';
import { checkNoSecrets } from './expected-secrets.ts';
import { counts, lineOf, type VerifiedEntry, WORDS, type Words } from './subject.ts';
import { type Failure, shortValue, Verification } from './verification.ts';

const MAX_CLOSEST = 3;
const MAX_DIFFERENCES = 20;

export interface VerifyRequest {
  readonly kind: RecordKind;
  readonly journal: Journal<JournalEntry> | Journal<CallbackEntry>;
  readonly redactor: Redactor;
  /** The account's id; `undefined` for the whole service. */
  readonly account: string | undefined;
  readonly expected: AnyExpected;
  /** The maximum time to wait, in ms. @default 0 */
  readonly timeout?: number;
  /** Aborted when the caller stops waiting. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Verifies the entries of a journal, or waits until they are as expected.
 *
 * @throws NotVerifiedError `MOMO_MOCK_NOT_VERIFIED`
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if an expectation contains a secret,
 *   `MOMO_MOCK_TOO_LARGE`, `MOMO_MOCK_CLOSED` if the mock is closed meanwhile
 */
export async function verifyEntries(request: VerifyRequest): Promise<void> {
  const { kind, journal, redactor, account, expected, timeout = 0, signal } = request;
  if (Buffer.byteLength(JSON.stringify(expected)) > MAX_EXPECTATION_BYTES) throw tooLong();
  checkNoSecrets(expected, (text) => redactor.redact(text));
  const words = WORDS[kind];
  const verification = new Verification(expected, words);
  const until = monotonicTime() + timeout;
  for (;;) {
    const left = until - monotonicTime();
    // Before the journal is read, so that no change is missed.
    const change = left > 0 ? journal.change({ account }, left, signal) : undefined;
    const { entries } = await journal.read({ account, since: verification.since });
    const failure = verification.compare(entries);
    if (failure === undefined) return;
    if (change !== undefined && journal.isClosed) throw closed();
    if (change === undefined || signal?.aborted === true) {
      const latest = await journal.read({ account, limit: DEFAULT_LIMIT });
      throw notVerified(failure, latest, words, redactor);
    }
    await change;
  }
}

function notVerified(
  { sentence, missing }: Failure,
  { total, dropped, entries }: Found<VerifiedEntry>,
  words: Words,
  redactor: Redactor,
): NotVerifiedError<VerifiedEntry> {
  const closest = missing && new Closest(missing, words);
  for (const entry of entries) closest?.add(entry);
  const lines = [`Failed to verify: ${sentence}.`, ...(closest?.lines ?? [])];
  if (dropped > 0) {
    lines.push(
      `The journal removed ${dropped} older ${words.noun}s. Raise MOMO_MOCK_JOURNAL_SIZE.`,
    );
  }
  if (missing !== undefined) lines.push(total === 0 ? words.none : words.mayCome);
  return new NotVerifiedError(cut(redactor.redact(lines.join('\n'))), closest?.entries ?? []);
}

function cut(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= MAX_MESSAGE_BYTES) return message;
  const note = `…\nThe message is truncated. It has ${bytes.length} bytes.`;
  return bytes.subarray(0, MAX_MESSAGE_BYTES - Buffer.byteLength(note)).toString() + note;
}

function tooLong(): MomoMockError {
  const most = MAX_EXPECTATION_BYTES / 1024;
  const text = `Failed to read the expectation: it is longer than ${most} KiB as JSON. Expect less in one call.`;
  return new MomoMockError('MOMO_MOCK_TOO_LARGE', text);
}

/**
 * Verifies that all scripted responses were used, except those with `times: 'always'`.
 *
 * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`
 */
export function verifyUsed(scripts: readonly Script[], redactor: Redactor): void {
  const left = scripts.filter((script) => script.left !== Infinity);
  if (left.length === 0) return;
  const lines = left.slice(0, MAX_SCRIPTS).map(({ operation, given, left }) => {
    const {
      operation: _,
      times = 1,
      body: _body,
      headers: _headers,
      callback: _callback,
      ...response
    } = given;
    return `  ${operation}: ${left} of ${times} left of ${shortValue(response)}`;
  });
  const more = left.length - lines.length;
  if (more > 0) lines.push(`  ${more} more`);
  const all =
    left.length === 1 ? '1 scripted response was' : `${left.length} scripted responses were`;
  const text = `Failed to verify: ${all} not used. Send the requests that use them, or script fewer.\n`;
  throw new MomoMockError('MOMO_MOCK_NOT_VERIFIED', redactor.redact(text + lines.join('\n')));
}

const MAX_SCRIPTS = 10;

export class NotVerifiedError<Entry = JournalEntry> extends MomoMockError {
  /** The closest entries, the closest first, without secrets. */
  readonly closest: readonly Entry[];

  constructor(message: string, closest: readonly Entry[]) {
    super('MOMO_MOCK_NOT_VERIFIED', message);
    this.closest = closest;
  }
}

/** Collects the entries that are closest to an expectation. */
class Closest {
  readonly #expectation: AnyExpectation;
  readonly #words: Words;
  #candidates: { readonly entry: VerifiedEntry; readonly differences: readonly Difference[] }[] =
    [];

  constructor(expectation: AnyExpectation, words: Words) {
    this.#expectation = expectation;
    this.#words = words;
  }

  /** Among equally close entries, the newest are kept. */
  add(entry: VerifiedEntry): void {
    if (!counts(entry, this.#expectation)) return;
    const fields = [...differences(entry, this.#expectation)];
    if (fields.length === 0) return;
    const all = [{ entry, differences: fields }, ...this.#candidates];
    this.#candidates = all
      .sort((a, b) => a.differences.length - b.differences.length)
      .slice(0, MAX_CLOSEST);
  }

  get entries(): readonly VerifiedEntry[] {
    return this.#candidates.map(({ entry }) => entry);
  }

  /** The closest entry and its differences as lines of text; empty if there is none. */
  get lines(): readonly string[] {
    const [best] = this.#candidates;
    if (best === undefined) return [];
    const { hint } = best.entry;
    const more = best.differences.length - MAX_DIFFERENCES;
    return [
      `The closest is ${lineOf(this.#words, best.entry)}:`,
      ...best.differences
        .slice(0, MAX_DIFFERENCES)
        .map(
          ({ field, expected, received }) =>
            `  ${field}: expected ${shortValue(expected)}, received ${shortValue(received)}`,
        ),
      ...(more > 0 ? [`  ${more} more differences`] : []),
      ...(hint === null ? [] : [`  ${hint}`]),
    ];
  }
}
