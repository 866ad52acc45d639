import * as Type from 'typebox';
import { define } from '../define.ts';
import type { Definition } from '../definition.ts';
import type { RequestFields } from '../journal/journal-filter.ts';
import { REQUEST_FIELDS } from '../journal/request-fields.ts';
import { LONGEST_WAIT, MOST_STEPS } from '../limits.ts';
import { CONTENT_FIELDS, STEP_TIMES, TIMES, texts } from './expectation-fields.ts';
import type { AnyExpectation } from './subject.ts';

/** The requests that a test expects. A request matches if it matches all given fields. */
export interface Expectation extends RequestFields {
  /** Parameters in the query, which may have more. A repeated parameter is a list. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Headers of the request, which may have more. Letter case in names does not matter. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * JSON or text that the body contains. Objects may have more fields than the given ones; lists must
   * have the same items in the same order.
   */
  readonly body?: unknown;
  /**
   * The number of requests that match: exactly this number, or a range. 0 means never.
   *
   * @default at least one
   */
  readonly times?: number | Times;
}

/** A range of numbers of requests. */
export interface Times {
  /** @default 0 */
  readonly min?: number;
  /** @default no limit */
  readonly max?: number;
}

/** One request in a list of expected requests, or several equal ones in a row. */
export interface ExpectedStep extends Omit<Expectation, 'times'> {
  /**
   * The number of them in a row.
   *
   * @default 1
   */
  readonly times?: number;
}

/** Exactly these requests, in this order, and no others. */
export interface ExactRequests {
  readonly exactly: readonly ExpectedStep[];
}

/**
 * What a test verifies: one expectation, a list of requests in this order (other requests may come in
 * between), or exactly these requests and no others.
 */
export type Expected = Expectation | readonly ExpectedStep[] | ExactRequests;

/** What a test verifies, of requests or of callbacks. */
export type AnyExpected<Step extends AnyExpectation> =
  | Step
  | readonly Step[]
  | { readonly exactly: readonly Step[] };

const FIELDS = {
  ...REQUEST_FIELDS,
  query: texts('Parameters in the query, which may have more.'),
  ...CONTENT_FIELDS,
};

/** The definition of {@link Expectation}. */
export const EXPECTATION: Definition<Expectation> = define(
  Type.Object(
    {
      ...FIELDS,
      times: TIMES,
    },
    {
      $id: 'Expectation',
      additionalProperties: false,
      examples: [{ path: '/momo/balance', status: 200, times: 2 }],
    },
  ),
);

/** The definition of {@link ExpectedStep}. */
export const EXPECTED_STEP: Definition<ExpectedStep> = define(
  Type.Object(
    { ...FIELDS, times: STEP_TIMES },
    { $id: 'ExpectedStep', additionalProperties: false },
  ),
);

const STEPS = Type.Immutable(Type.Array(EXPECTED_STEP, { maxItems: MOST_STEPS }));

/** The definition of {@link Expected}. */
export const EXPECTED: Definition<Expected> = define(
  Type.Union(
    [EXPECTATION, STEPS, Type.Object({ exactly: STEPS }, { additionalProperties: false })],
    {
      $id: 'Expected',
      title: 'an expectation, a list of requests in order, or { exactly: [...] }',
      examples: [
        { path: '/momo/balance', status: 200, times: 2 },
        [{ status: 503 }, { status: 200 }],
        { exactly: [{ operation: 'GET /momo/balance' }] },
      ],
    },
  ),
);

/** Options of a verification. */
export interface VerifyOptions {
  /**
   * The maximum time to wait until the requests are as expected, in ms.
   *
   * @default 0
   */
  readonly timeout?: number;
}

/** The definition of {@link VerifyOptions}. */
export const VERIFY_OPTIONS: Definition<VerifyOptions> = define(
  Type.Object(
    {
      timeout: Type.Optional(
        Type.Integer({
          description: 'The maximum time to wait until the requests are as expected, in ms.',
          minimum: 0,
          maximum: LONGEST_WAIT,
          default: 0,
        }),
      ),
    },
    { $id: 'VerifyOptions', additionalProperties: false },
  ),
);

/** The expectations of what a test verifies, in order. */
export function stepsOf<Step extends AnyExpectation>(expected: AnyExpected<Step>): readonly Step[] {
  if (Array.isArray(expected)) return expected;
  if ('exactly' in expected) return expected.exactly;
  return [expected as Step];
}
