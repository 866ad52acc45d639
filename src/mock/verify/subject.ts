import type { Difference } from './difference.ts';
import type { Times } from './expectation.ts';

/** What all entries have that a test can verify. */
export interface VerifiedEntry {
  readonly id: number;
  readonly hint: string | null;
}

/** What all expectations have. */
export interface AnyExpectation {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly times?: number | Times;
}

/** What can be verified: the requests that arrived, or the attempts of callbacks. */
export interface Subject<Entry extends VerifiedEntry, Expectation extends AnyExpectation> {
  /** Such as `request`. */
  readonly noun: string;
  /** Says that an expected one is missing, such as `did not arrive`. */
  readonly isMissing: string;
  /** Says that there were others, such as `more arrived`. */
  readonly isMore: string;
  /** A sentence for the case that there is none at all. */
  readonly none: string;
  /** A sentence for the case that the missing one may still come. */
  readonly mayCome: string;
  /** Whether an entry changes no more. */
  hasEnded(entry: Entry): boolean;
  /** Whether an entry counts at all. */
  counts(entry: Entry, expectation: Expectation): boolean;
  /** The fields of an entry that are not as expected. */
  differences(entry: Entry, expectation: Expectation): Iterator<Difference> & Iterable<Difference>;
  /** An entry in one line, such as `GET /momo/balance 401 unknown-path`. */
  lineOf(entry: Entry): string;
  /** What is expected, such as `GET /momo/balance`, and the names of the fields in it. */
  nameOf(expectation: Expectation): { readonly name: string; readonly fields: readonly string[] };
}
