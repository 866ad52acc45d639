import { jsonOf } from '../json-of.ts';
import { MOST_LEVELS } from '../limits.ts';
import { type AnyExpected, stepsOf } from './expectation.ts';
import type { AnyExpectation, Subject, VerifiedEntry } from './subject.ts';

/** How many matching entries a message names. */
const MOST_NAMED = 10;
/** The maximum length of a value in a message, in characters. */
const LONGEST_VALUE = 200;

/** An entry after the comparison with all expectations. */
interface Compared {
  /** Such as `request 3, GET /momo/balance 401`. */
  readonly line: string;
  /** Whether it matches each expectation. */
  readonly matches: readonly boolean[];
  /** Whether it counts for `exactly`. */
  readonly isCounted: boolean;
}

/** How the entries differ from the expected ones. */
export interface Failure<Expectation> {
  /** A sentence that begins with `expected`, without a full stop. */
  readonly sentence: string;
  /** The expectation that more entries should match; `undefined` if too many match. */
  readonly missing?: Expectation;
}

/** Compares what happened with what a test verifies. */
export class Verification<Entry extends VerifiedEntry, Expectation extends AnyExpectation> {
  readonly #subject: Subject<Entry, Expectation>;
  readonly #expected: AnyExpected<Expectation>;
  readonly #steps: readonly Expectation[];
  readonly #ended: Compared[] = [];
  #since = 0;

  constructor(expected: AnyExpected<Expectation>, subject: Subject<Entry, Expectation>) {
    this.#subject = subject;
    this.#expected = expected;
    this.#steps = stepsOf(expected);
  }

  /** The id of the last entry that is not compared again. */
  get since(): number {
    return this.#since;
  }

  /**
   * Compares entries.
   *
   * @param entries the entries after {@link since}, in order
   * @returns `undefined` if all entries until now are as expected
   */
  async compare(entries: AsyncIterable<Entry>): Promise<Failure<Expectation> | undefined> {
    const running: Compared[] = [];
    for await (const entry of entries) {
      const compared = this.#compare(entry);
      if (running.length > 0 || !this.#subject.hasEnded(entry)) running.push(compared);
      else {
        this.#ended.push(compared);
        this.#since = entry.id;
      }
    }
    const all = [...this.#ended, ...running];
    if (Array.isArray(this.#expected)) return this.#inOrder(all);
    return 'exactly' in this.#expected ? this.#exactly(all) : this.#single(all);
  }

  #compare(entry: Entry): Compared {
    const { counts, differences } = this.#subject;
    return {
      line: lineOf(this.#subject, entry),
      matches: this.#steps.map(
        (step) => counts(entry, step) && differences(entry, step).next().done === true,
      ),
      isCounted: counts(entry, {} as Expectation),
    };
  }

  #single(all: readonly Compared[]): Failure<Expectation> | undefined {
    const [expectation = {} as Expectation] = this.#steps;
    const { times = { min: 1 } } = expectation;
    const { min = 0, max = Infinity } =
      typeof times === 'number' ? { min: times, max: times } : times;
    const matching = all.filter(({ matches: [isMatching] }) => isMatching);
    const count = matching.length;
    if (count >= min && count <= max) return undefined;
    const named = count === 0 ? '' : `: ${linesOf(matching)}`;
    const verb = count === 1 || all.length === 1 ? 'matches' : 'match';
    const matched = `${count} of ${this.#countOf(all.length)} ${verb}${named}`;
    const sentence = `expected ${this.#inWords(expectation)} ${timesInWords(min, max)}, but ${matched}`;
    return count < min ? { sentence, missing: expectation } : { sentence };
  }

  #inOrder(all: readonly Compared[]): Failure<Expectation> | undefined {
    const { stepAt, length } = sequenceOf(this.#steps);
    let next = 0;
    let last: Compared | undefined;
    for (const compared of all) {
      if (next === length) return undefined;
      if (!compared.matches[stepAt(next)]) continue;
      last = compared;
      next++;
    }
    const missing = this.#steps[stepAt(next)];
    if (missing === undefined) return undefined;
    const after = last === undefined ? '' : ` after ${last.line}`;
    const sentence = `expected ${this.#countOf(length)} in this order, but number ${next + 1}, ${this.#inWords(missing)}, ${this.#subject.isMissing}${after}`;
    return { sentence, missing };
  }

  #exactly(all: readonly Compared[]): Failure<Expectation> | undefined {
    const { stepAt, length } = sequenceOf(this.#steps);
    const counted = all.filter(({ isCounted }) => isCounted);
    let wrong = 0;
    while (wrong < length && counted[wrong]?.matches[stepAt(wrong)]) wrong++;
    const start = `expected exactly ${this.#countOf(length)}, but`;
    if (wrong === length) {
      const others = counted.slice(length);
      if (others.length === 0) return undefined;
      const more = `${this.#countOf(others.length)} ${this.#subject.isMore}`;
      return { sentence: `${start} ${more}: ${linesOf(others)}` };
    }
    const missing = this.#steps[stepAt(wrong)] ?? ({} as Expectation);
    const place = `number ${wrong + 1}, ${this.#inWords(missing)},`;
    const other = counted[wrong];
    const what = other === undefined ? this.#subject.isMissing : `is ${other.line}`;
    return { sentence: `${start} ${place} ${what}`, missing };
  }

  /** An expectation in words, such as `GET /momo/balance with status 200`. */
  #inWords(expectation: Expectation): string {
    const { name, fields } = this.#subject.nameOf(expectation);
    const others = Object.entries(expectation).filter(
      ([field, value]) => value !== undefined && field !== 'times' && !fields.includes(field),
    );
    const shown = others.map(([field, value]) => `${field} ${shownValue(value)}`);
    return shown.length === 0 ? name : `${name} with ${shown.join(', ')}`;
  }

  #countOf(count: number): string {
    const { noun } = this.#subject;
    return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
  }
}

/** The expected entries in order. An expectation with `times: 2` stands for two of them. */
function sequenceOf(steps: readonly AnyExpectation[]) {
  let length = 0;
  const ends = steps.map(({ times = 1 }) => (length += Number(times)));
  /** The index of the expectation of an entry; -1 behind the last one. */
  const stepAt = (place: number): number => ends.findIndex((end) => place < end);
  return { stepAt, length };
}

/** An entry in one line, such as `request 3, GET /momo/balance 401 unknown-path`. */
export function lineOf<Entry extends VerifiedEntry>(
  { noun, lineOf }: Pick<Subject<Entry, never>, 'noun' | 'lineOf'>,
  entry: Entry,
): string {
  return `${noun} ${entry.id}, ${lineOf(entry)}`;
}

function linesOf(entries: readonly Compared[]): string {
  const named = entries.slice(0, MOST_NAMED).map(({ line }) => line);
  const more = entries.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

function timesInWords(min: number, max: number): string {
  if (max === 0) return 'never';
  if (min === max) return `exactly ${timesOf(min)}`;
  if (max === Infinity) return min === 1 ? 'at least once' : `at least ${timesOf(min)}`;
  return min === 0 ? `at most ${timesOf(max)}` : `${min} to ${timesOf(max)}`;
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** A value as JSON, cut if it is long. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  // A received value can have more levels.
  const json = jsonOf(value) ?? `a value with more than ${MOST_LEVELS} levels`;
  return json.length > LONGEST_VALUE ? `${json.slice(0, LONGEST_VALUE)}…` : json;
}
