import { MomoMockError } from '../errors.ts';
import { monotonicTime } from '../timers.ts';
import { counts, type Difference, differences } from './difference.ts';
import type { Expectation, Expected } from './expectation.ts';
import { checkNoSecrets } from './expected-secrets.ts';
import type { Journal } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';
import { DEFAULT_LIMIT } from './journal-filter.ts';
import type { Redactor } from './redaction.ts';
import type { Script } from './scripted-response.ts';
import { type Failure, lineOf, shownValue, Verification } from './verification.ts';

/** How many of the closest requests an error lists. */
const MOST_CLOSEST = 3;

const NOTHING_CAME =
  'No request arrived. Check that the code under test uses the URL and the key of this mock.';
const MAY_COME = 'If the request may still arrive, set timeout to wait for it.';

/** What to verify, and where. */
export interface VerifyRequest {
  readonly journal: Journal;
  readonly redactor: Redactor;
  /** The id of the account; `undefined` for the whole service. */
  readonly account: string | undefined;
  readonly expected: Expected;
  /** How long to wait, in ms. @default 0 */
  readonly timeout?: number;
  /** Aborted when the caller does not wait any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Verifies that the requests in the journal are as expected, or waits until they are.
 *
 * @throws NotVerifiedError `MOMO_MOCK_NOT_VERIFIED`
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` if an expectation contains a secret
 */
export async function verifyRequests(request: VerifyRequest): Promise<void> {
  const { journal, redactor, account, expected, timeout = 0, signal } = request;
  checkNoSecrets(expected, (text) => redactor.redact(text));
  const own = account === undefined ? {} : { account };
  const verification = new Verification(expected);
  const until = monotonicTime() + timeout;
  for (;;) {
    const left = until - monotonicTime();
    // Before the journal is read, so that no change is missed.
    const change = left > 0 ? journal.change(own, left, signal) : undefined;
    const { entries } = await journal.read({ ...own, since: verification.since });
    const failure = await verification.compare(entries);
    if (failure === undefined) return;
    const isOver = change === undefined || signal?.aborted === true || journal.isClosed;
    if (isOver) throw await notVerified(request, failure);
    await change;
  }
}

async function notVerified(
  { journal, redactor, account }: VerifyRequest,
  { sentence, missing }: Failure,
): Promise<NotVerifiedError> {
  const closest = missing && new Closest(missing);
  const own = account === undefined ? {} : { account };
  const { total, dropped, entries } = await journal.read({ ...own, limit: DEFAULT_LIMIT });
  if (closest !== undefined) for await (const entry of entries) closest.add(entry);
  const lines = [`Failed to verify: ${sentence}.`, ...(closest?.lines ?? [])];
  if (dropped > 0) {
    lines.push(`The journal removed ${dropped} older requests. Raise MOMO_MOCK_JOURNAL_SIZE.`);
  }
  if (missing !== undefined) lines.push(total === 0 ? NOTHING_CAME : MAY_COME);
  return new NotVerifiedError(redactor.redact(lines.join('\n')), closest?.entries ?? []);
}

/**
 * Verifies that all scripted responses were used, except those with `times: 'always'`.
 *
 * @throws MomoMockError `MOMO_MOCK_NOT_VERIFIED`
 */
export function verifyUsed(scripts: readonly Script[], redactor: Redactor): void {
  const left = scripts.filter((script) => script.left !== Infinity);
  if (left.length === 0) return;
  const lines = left.slice(0, MOST_SCRIPTS).map(({ operation, given, left }) => {
    const { operation: _, times = 1, body: _body, headers: _headers, ...response } = given;
    return `  ${operation}: ${left} of ${times} left of ${shownValue(response)}`;
  });
  const more = left.length - lines.length;
  if (more > 0) lines.push(`  ${more} more`);
  const all =
    left.length === 1 ? '1 scripted response was' : `${left.length} scripted responses were`;
  const text = `Failed to verify: ${all} not used. Send the requests that use them, or script fewer.\n`;
  throw new MomoMockError('MOMO_MOCK_NOT_VERIFIED', redactor.redact(text + lines.join('\n')));
}

/** How many scripted responses an error lists. */
const MOST_SCRIPTS = 10;

/** The error for requests that are not as expected, which can list the closest ones. */
export class NotVerifiedError extends MomoMockError {
  /** The requests that come closest, the closest first, without secrets. */
  readonly closest: readonly JournalEntry[];

  constructor(message: string, closest: readonly JournalEntry[]) {
    super('MOMO_MOCK_NOT_VERIFIED', message);
    this.closest = closest;
  }
}

/** Collects the requests that come closest to an expectation. */
export class Closest {
  readonly #expectation: Expectation;
  #found: { readonly entry: JournalEntry; readonly differences: readonly Difference[] }[] = [];

  constructor(expectation: Expectation) {
    this.#expectation = expectation;
  }

  /** Adds a request. Of those with as many differences, the newest are kept. */
  add(entry: JournalEntry): void {
    if (!counts(entry, this.#expectation)) return;
    const found = [...differences(entry, this.#expectation)];
    if (found.length === 0) return;
    const all = [{ entry, differences: found }, ...this.#found];
    this.#found = all
      .sort((a, b) => a.differences.length - b.differences.length)
      .slice(0, MOST_CLOSEST);
  }

  /** The requests, the closest first. */
  get entries(): readonly JournalEntry[] {
    return this.#found.map(({ entry }) => entry);
  }

  /** The closest request and its differences as lines of text; empty if there is none. */
  get lines(): readonly string[] {
    const [best] = this.#found;
    if (best === undefined) return [];
    const { hint } = best.entry;
    return [
      `The closest is ${lineOf(best.entry)}:`,
      ...best.differences.map(
        ({ field, expected, received }) =>
          `  ${field}: expected ${shownValue(expected)}, received ${shownValue(received)}`,
      ),
      ...(hint === null ? [] : [`  ${hint}`]),
    ];
  }
}
