import * as Type from 'typebox';
import { CALLBACK_FIELDS } from '../callbacks/callback-fields.ts';
import type { CallbackFields } from '../callbacks/callback-filter.ts';
import { define } from '../define.ts';
import type { Definition } from '../definition.ts';
import { MOST_STEPS } from '../limits.ts';
import type { Expectation } from './expectation.ts';
import { CONTENT_FIELDS, STEP_TIMES, TIMES } from './expectation-fields.ts';

/**
 * The callbacks that a test expects. An attempt matches if it matches all given fields. `times`
 * counts attempts.
 */
export interface CallbackExpectation
  extends CallbackFields,
    Pick<Expectation, 'headers' | 'body' | 'times'> {}

/** One callback in a list of expected ones, or several equal ones in a row. */
export interface ExpectedCallback extends Omit<CallbackExpectation, 'times'> {
  /**
   * The number of them in a row.
   *
   * @default 1
   */
  readonly times?: number;
}

/** Exactly these callbacks, in this order, and no others. */
export interface ExactCallbacks {
  readonly exactly: readonly ExpectedCallback[];
}

/**
 * What a test verifies: one expectation, a list of callbacks in this order (others may come in
 * between), or exactly these callbacks and no others.
 */
export type ExpectedCallbacks = CallbackExpectation | readonly ExpectedCallback[] | ExactCallbacks;

const FIELDS = { ...CALLBACK_FIELDS, ...CONTENT_FIELDS };

/** The definition of {@link CallbackExpectation}. */
export const CALLBACK_EXPECTATION: Definition<CallbackExpectation> = define(
  Type.Object(
    { ...FIELDS, times: TIMES },
    {
      $id: 'CallbackExpectation',
      additionalProperties: false,
      examples: [{ url: 'http://localhost:3000/hook', status: 200, times: 1 }],
    },
  ),
);

/** The definition of {@link ExpectedCallback}. */
export const EXPECTED_CALLBACK: Definition<ExpectedCallback> = define(
  Type.Object(
    { ...FIELDS, times: STEP_TIMES },
    { $id: 'ExpectedCallback', additionalProperties: false },
  ),
);

const STEPS = Type.Immutable(Type.Array(EXPECTED_CALLBACK, { maxItems: MOST_STEPS }));

/** The definition of {@link ExpectedCallbacks}. */
export const EXPECTED_CALLBACKS: Definition<ExpectedCallbacks> = define(
  Type.Union(
    [CALLBACK_EXPECTATION, STEPS, Type.Object({ exactly: STEPS }, { additionalProperties: false })],
    {
      $id: 'ExpectedCallbacks',
      title: 'an expectation, a list of callbacks in order, or { exactly: [...] }',
      examples: [
        { body: { status: 'success' }, status: 200 },
        [
          { attempt: 1, status: 500 },
          { attempt: 2, status: 200 },
        ],
      ],
    },
  ),
);
