import { counts, differences } from './difference.ts';
import { type Expectation, type Expected, stepsOf } from './expectation.ts';
import type { JournalEntry } from './journal-entry.ts';

/** How many matching requests a message names. */
const MOST_NAMED = 10;
/** The maximum length of a value in a message, in characters. */
const LONGEST_VALUE = 200;

/** A request after the comparison with all expectations. */
interface Compared {
  /** Such as `request 3, GET /momo/balance 401`. */
  readonly line: string;
  /** Whether it matches each expectation. */
  readonly matches: readonly boolean[];
  /** Whether it counts for `exactly`. */
  readonly isRequest: boolean;
}

/** How the requests differ from the expected ones. */
export interface Failure {
  /** A sentence that begins with `expected`, without a full stop. */
  readonly sentence: string;
  /** The expectation that more requests should match; `undefined` if too many match. */
  readonly missing?: Expectation;
}

/** Compares received requests with what a test verifies. */
export class Verification {
  readonly #expected: Expected;
  readonly #steps: readonly Expectation[];
  readonly #ended: Compared[] = [];
  #since = 0;

  constructor(expected: Expected) {
    this.#expected = expected;
    this.#steps = stepsOf(expected);
  }

  /** The id of the last request that is not compared again. */
  get since(): number {
    return this.#since;
  }

  /**
   * Compares requests.
   *
   * @param entries the requests after {@link since}, in order of arrival
   * @returns `undefined` if all requests until now are as expected
   */
  async compare(entries: AsyncIterable<JournalEntry>): Promise<Failure | undefined> {
    const running: Compared[] = [];
    for await (const entry of entries) {
      const compared = this.#compare(entry);
      const hasEnded = entry.duration !== null || entry.method === null;
      if (running.length > 0 || !hasEnded) running.push(compared);
      else {
        this.#ended.push(compared);
        this.#since = entry.id;
      }
    }
    const all = [...this.#ended, ...running];
    if (Array.isArray(this.#expected)) return inOrder(this.#steps, all);
    return 'exactly' in this.#expected ? exactly(this.#steps, all) : single(this.#steps, all);
  }

  #compare(entry: JournalEntry): Compared {
    return {
      line: lineOf(entry),
      matches: this.#steps.map((step) => counts(entry, step) && isMatch(entry, step)),
      isRequest: counts(entry, {}),
    };
  }
}

/** Whether a request matches all fields of an expectation. */
export function isMatch(entry: JournalEntry, expectation: Expectation): boolean {
  return differences(entry, expectation).next().done === true;
}

function single([expectation = {}]: readonly Expectation[], all: readonly Compared[]) {
  const { times = { min: 1 } } = expectation;
  const { min = 0, max = Infinity } =
    typeof times === 'number' ? { min: times, max: times } : times;
  const matching = all.filter(({ matches: [isMatching] }) => isMatching);
  const count = matching.length;
  if (count >= min && count <= max) return undefined;
  const named = count === 0 ? '' : `: ${linesOf(matching)}`;
  const verb = count === 1 || all.length === 1 ? 'matches' : 'match';
  const matched = `${count} of ${countOf(all.length)} ${verb}${named}`;
  const sentence = `expected ${inWords(expectation)} ${timesInWords(min, max)}, but ${matched}`;
  return count < min ? { sentence, missing: expectation } : { sentence };
}

function inOrder(steps: readonly Expectation[], all: readonly Compared[]): Failure | undefined {
  const list = repeated(steps);
  let next = 0;
  let last: Compared | undefined;
  for (const compared of all) {
    const step = list[next];
    if (step === undefined || !compared.matches[step]) continue;
    last = compared;
    next++;
  }
  const step = list[next];
  const missing = step === undefined ? undefined : steps[step];
  if (missing === undefined) return undefined;
  const after = last === undefined ? '' : ` after ${last.line}`;
  const sentence = `expected ${countOf(list.length)} in this order, but number ${next + 1}, ${inWords(missing)}, did not arrive${after}`;
  return { sentence, missing };
}

function exactly(steps: readonly Expectation[], all: readonly Compared[]): Failure | undefined {
  const list = repeated(steps);
  const received = all.filter(({ isRequest }) => isRequest);
  const wrong = list.findIndex((step, index) => !received[index]?.matches[step]);
  const start = `expected exactly ${countOf(list.length)}, but`;
  if (wrong === -1) {
    const others = received.slice(list.length);
    if (others.length === 0) return undefined;
    return { sentence: `${start} ${countOf(others.length)} more arrived: ${linesOf(others)}` };
  }
  const missing = steps[list[wrong] ?? 0] ?? {};
  const place = `number ${wrong + 1}, ${inWords(missing)},`;
  const other = received[wrong];
  const what = other === undefined ? 'did not arrive' : `is ${other.line}`;
  return { sentence: `${start} ${place} ${what}`, missing };
}

/** The index of the expectation of each expected request: one with `times: 2` twice. */
function repeated(steps: readonly Expectation[]): number[] {
  return steps.flatMap(({ times }, index) => Array<number>(Number(times ?? 1)).fill(index));
}

/** A request in one line, such as `request 3, GET /momo/balance 401 unknown-path`. */
export function lineOf({ id, method, path, status, reason }: JournalEntry): string {
  const result = [status ?? (reason === null ? 'without a status' : undefined), reason];
  return `request ${id}, ${[method, path, ...result].filter((part) => part != null).join(' ')}`;
}

function linesOf(requests: readonly Compared[]): string {
  const named = requests.slice(0, MOST_NAMED).map(({ line }) => line);
  const more = requests.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

/** An expectation in words, such as `GET /momo/balance with status 200`. */
function inWords({ times: _, method, path, operation, ...others }: Expectation): string {
  const what = operation ?? ([method, path].filter(Boolean).join(' ') || 'a request');
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const fields = given.map(([name, value]) => `${name} ${shownValue(value)}`);
  return fields.length === 0 ? what : `${what} with ${fields.join(', ')}`;
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

function countOf(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

/** A value as JSON, cut if it is long. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value);
  return json.length > LONGEST_VALUE ? `${json.slice(0, LONGEST_VALUE)}…` : json;
}
