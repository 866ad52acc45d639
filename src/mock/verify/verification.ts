import { inTurns } from '../in-turns.ts';
import type { RequestEntry, WebhookEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { bytesOf, type JournalRecord } from '../journal/record.ts';
import { jsonOf } from '../json/json-of.ts';
import { MAX_LEVELS } from '../limits.ts';
import { REDACTED } from '../redaction/redaction.ts';
import { Content } from './difference.ts';
import { type AnyExpectation, type AnyExpected, stepsOf } from './expectation.ts';
import { countOf, counts, lineOf, WORDS, type Words } from './subject.ts';
import { matchOf, type Unknown, unknownAmong } from './unknown.ts';

export const MAX_NAMED = 10;
const CANNOT_TELL = 'the journal cannot tell';
const MAX_VALUE_LENGTH = 200;

/** A record after its comparison with all expectations. The journal may drop it meanwhile. */
interface Result {
  readonly id: number;
  /** Whether it matches each expectation, or why the journal cannot tell. */
  readonly matches: readonly (boolean | Unknown)[];
  /** Whether it counts for `exactly`. */
  readonly isCounted: boolean;
  /** Whether it can no longer change. */
  readonly ended: boolean;
}

type Named = Pick<JournalRecord, 'id'>;

export interface Failure {
  /** A sentence that begins with `expected`, without a full stop, around the expectation in words. */
  readonly sentence: (expectation: string) => string;
  readonly expectation: AnyExpectation;
  /** Whether more entries should match. */
  readonly isMissing: boolean;
  /** The records that the sentence names with the expectation. */
  readonly named: readonly Named[];
  /** What the journal does not know, in a line for each reason. */
  readonly unknown?: readonly string[];
}

export interface Verified {
  readonly journal: Journal<RequestEntry | WebhookEntry>;
  /** The account's id; `undefined` for all accounts. */
  readonly account: string | undefined;
  readonly expected: AnyExpected;
  /** What failed, for the message. @default 'verify' */
  readonly aim?: 'finish' | 'verify' | undefined;
}

export class Verification {
  readonly #verified: Verified;
  readonly #words: Words;
  readonly #steps: readonly AnyExpectation[];
  /** They are in order. */
  #all: Result[] = [];
  #dropped = 0;

  constructor(verified: Verified) {
    this.#verified = verified;
    this.#words = WORDS[verified.journal.kind];
    this.#steps = stepsOf(verified.expected);
  }

  /**
   * @param records those that have changed since the last call. @default all
   * @returns `undefined` if all entries so far are as expected
   */
  async compare(records?: readonly JournalRecord[]): Promise<Failure | undefined> {
    const { journal, account, expected } = this.#verified;
    const results = await inTurns(records ?? journal.matching({ account }), bytesOf, (record) =>
      this.#compare(record),
    );
    // Those that were not compared after their end.
    const running = this.#all.find(({ ended }) => !ended);
    const since = running === undefined ? this.#all.at(-1)?.id : running.id - 1;
    this.#dropped = Math.max(this.#dropped, journal.dropped.count(account, since));
    const all = new Map([...this.#all, ...results].map((result) => [result.id, result]));
    this.#all = [...all.values()]
      .filter(({ id, ended }) => ended || journal.get(id) !== undefined)
      // A request's account may become known after the account of a later request.
      .sort((a, b) => a.id - b.id);
    if (Array.isArray(expected)) return this.#inOrder();
    return 'exactly' in expected ? this.#exactly() : this.#single();
  }

  #compare(record: JournalRecord): Result {
    const content = new Content(record);
    return {
      id: record.id,
      matches: this.#steps.map((step) => counts(record, step) && matchOf(record, content, step)),
      isCounted: counts(record, {}),
      ended: record.ended,
    };
  }

  #single(): Failure | undefined {
    const [expectation = {}] = this.#steps;
    const { times = { min: 1 } } = expectation;
    const { min = 0, max = Infinity } =
      typeof times === 'number' ? { min: times, max: times } : times;
    const matching = this.#all.filter(({ matches: [match] }) => match === true);
    const count = matching.length;
    const unknown = this.#unknown(this.#all, 0);
    const isEnough = count >= min && count <= max;
    if (isEnough && count + unknown.count <= max) return undefined;
    const isMissing = count < min;
    const { journal } = this.#verified;
    return {
      sentence: (words) => {
        const start = `expected ${words} ${timesInWords(min, max)}, but`;
        const problem = isEnough
          ? CANNOT_TELL
          : matchedInWords(journal, matching, this.#all.length);
        return `${start} ${problem}`;
      },
      expectation,
      isMissing,
      named: isEnough ? [] : matching,
      unknown: isEnough || isMissing ? unknown.lines : [],
    };
  }

  #inOrder(): Failure | undefined {
    const { journal } = this.#verified;
    const { stepAt, length } = sequenceOf(this.#steps);
    let next = 0;
    let last: Result | undefined;
    for (const result of this.#all) {
      if (next === length) return undefined;
      if (result.matches[stepAt(next)] !== true) continue;
      last = result;
      next++;
    }
    const missing = this.#steps[stepAt(next)];
    if (missing === undefined) return undefined;
    return {
      sentence: (words) => {
        const after = last === undefined ? '' : ` after ${linesOf(journal, [last])}`;
        return `expected ${countOf(this.#words, length)} in this order, but number ${next + 1}, ${words}, ${this.#words.isMissing}${after}`;
      },
      expectation: missing,
      isMissing: true,
      named: [],
      unknown: this.#unknown(this.#all, stepAt(next)).lines,
    };
  }

  #exactly(): Failure | undefined {
    const { journal } = this.#verified;
    const { stepAt, length } = sequenceOf(this.#steps);
    const counted = this.#all.filter(({ isCounted }) => isCounted);
    let wrong = 0;
    while (wrong < length && counted[wrong]?.matches[stepAt(wrong)] === true) wrong++;
    const { lines: unknown } = this.#unknown(counted.slice(wrong, wrong + 1), stepAt(wrong));
    const start = `expected exactly ${countOf(this.#words, length)}, but`;
    if (wrong === length) {
      const others = counted.slice(length);
      if (others.length === 0 && unknown.length === 0) return undefined;
      const more = `${countOf(this.#words, others.length)} ${this.#words.isMore}`;
      return {
        sentence: () =>
          others.length === 0
            ? `${start} ${CANNOT_TELL}`
            : `${start} ${more}: ${linesOf(journal, others)}`,
        expectation: {},
        isMissing: false,
        named: [],
        unknown: others.length === 0 ? unknown : [],
      };
    }
    const other = counted[wrong];
    return {
      sentence: (words) => {
        const what =
          other === undefined ? this.#words.isMissing : `is ${linesOf(journal, [other])}`;
        return `${start} number ${wrong + 1}, ${words}, ${what}`;
      },
      expectation: this.#steps[stepAt(wrong)] ?? {},
      isMissing: true,
      named: other === undefined ? [] : [other],
      unknown,
    };
  }

  #unknown(all: readonly Result[], step: number) {
    const matches = all.map(({ matches }) => matches[step]);
    return unknownAmong(matches, this.#dropped, this.#words);
  }
}

/** An expectation without secrets in words, such as `GET /momo/balance with status 200`. */
export function inWords({ noun }: Words, expectation: AnyExpectation): string {
  const { method, path, operation, url, times: _, ...others } = expectation;
  const name = operation ?? ([method, path ?? url].filter(Boolean).join(' ') || `a ${noun}`);
  const conditions = Object.entries(others)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${field} ${shortValue(value)}`);
  return conditions.length === 0 ? name : `${name} with ${conditions.join(', ')}`;
}

/** The expected entries in order. An expectation with `times: 2` stands for two entries. */
function sequenceOf(steps: readonly AnyExpectation[]) {
  let length = 0;
  const ends = steps.map(({ times = 1 }) => (length += Number(times)));
  /** The index of the expectation for an entry; -1 after the last one. */
  const stepAt = (place: number): number => ends.findIndex((end) => place < end);
  return { stepAt, length };
}

/** Such as `1 of 2 requests matches: request 1, GET /momo/balance 200`. */
export function matchedInWords(
  journal: Verified['journal'],
  matching: readonly Named[],
  all: number,
): string {
  const count = matching.length;
  const verb = count === 1 || all === 1 ? 'matches' : 'match';
  const start = `${count} of ${countOf(WORDS[journal.kind], all)} ${verb}`;
  return count === 0 ? start : `${start}: ${linesOf(journal, matching)}`;
}

function linesOf(journal: Verified['journal'], all: readonly Named[]): string {
  const words = WORDS[journal.kind];
  const lines = all.slice(0, MAX_NAMED).map(({ id }) => {
    const record = journal.get(id);
    return record === undefined
      ? `${words.noun} ${id}`
      : lineOf(words, record.entry(journal.redactor));
  });
  const more = all.length - lines.length;
  return [...lines, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

export function timesInWords(min: number, max: number): string {
  if (max === 0) return 'never';
  if (min === max) return `exactly ${timesOf(min)}`;
  if (max === Infinity) return min === 1 ? 'at least once' : `at least ${timesOf(min)}`;
  return min === 0 ? `at most ${timesOf(max)}` : `${min} to ${timesOf(max)}`;
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** A value as JSON, truncated if it is long. */
export function shortValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === REDACTED) return REDACTED;
  // A received value can have more levels.
  const json = jsonOf(value) ?? `a value with more than ${MAX_LEVELS} levels`;
  return json.length > MAX_VALUE_LENGTH ? `${json.slice(0, MAX_VALUE_LENGTH)}…` : json;
}
