import * as Type from 'typebox';
import { closedObject, define, flag } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { MAX_STEP_MS } from '../limits.ts';

export interface ClockChange {
  /** `true` freezes the clock; `false` lets it run again. */
  readonly freeze?: boolean;
  /** Moves the clock, after `freeze`: by a time in ms, or with `idle` until nothing is pending. */
  readonly advance?: number | 'idle';
}

const MOVE = Type.Union(
  [Type.Integer({ minimum: 0, maximum: MAX_STEP_MS }), Type.Literal('idle')],
  {
    description:
      'How far to move the clock, in ms, or idle: until nothing is pending. freeze applies first.',
  },
);

export const CLOCK_CHANGE: Definition<ClockChange> = define(
  closedObject(
    {
      freeze: flag('true: timers run only during advance. false: the clock runs again.'),
      advance: Type.Optional(MOVE),
    },
    {
      examples: [{ advance: 2000 }, { advance: 'idle' }, { freeze: true }],
    },
  ),
);
