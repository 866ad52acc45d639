import * as Type from 'typebox';
import { define } from '../check.ts';
import type { Definition } from '../definition.ts';
import { LONGEST_STEP } from './clock.ts';

/** What a test does to a clock. */
export interface ClockChange {
  /** Freezes the clock, or lets it run on. */
  readonly freeze?: boolean;
  /** Then moves it: by a time in ms, or with `idle` until nothing is pending. */
  readonly advance?: number | 'idle';
}

const MOVE = Type.Union(
  [Type.Integer({ minimum: 0, maximum: LONGEST_STEP }), Type.Literal('idle')],
  { description: 'The time in ms, or idle: until nothing is pending. It comes after freeze.' },
);

/** The definition of a move of a clock. */
export const CLOCK_MOVE: Definition<{ readonly advance: number | 'idle' }> = define(
  Type.Object({ advance: MOVE }),
);

/** The definition of a change of a clock. */
export const CLOCK_CHANGE: Definition<ClockChange> = define(
  Type.Object(
    {
      freeze: Type.Optional(
        Type.Boolean({
          description: 'true: nothing runs but by advance. false: the clock runs on.',
        }),
      ),
      advance: Type.Optional(MOVE),
    },
    {
      additionalProperties: false,
      examples: [{ advance: 2000 }, { advance: 'idle' }, { freeze: true }],
    },
  ),
);
