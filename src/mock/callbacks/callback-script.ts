import * as Type from 'typebox';
import { define } from '../check.ts';
import type { Definition } from '../definition.ts';
import { LONGEST_DELAY } from '../delay.ts';

/** What happens to the next callback, as a test scripts it. An empty one changes nothing. */
export interface ScriptedCallback {
  /** Whether it is not sent at all. @default false */
  readonly lose?: boolean;
  /** How much later it is sent, in ms. @default 0 */
  readonly delay?: number;
  /** How many times it is sent, one after the other. @default 1 */
  readonly repeat?: number;
}

/** The maximum number of callbacks that a scope can script. */
export const MOST_SCRIPTED_CALLBACKS = 10_000;

/** The definition of {@link ScriptedCallback}. */
export const SCRIPTED_CALLBACK: Definition<ScriptedCallback> = define(
  Type.Object(
    {
      lose: Type.Optional(
        Type.Boolean({ description: 'Whether it is not sent at all.', default: false }),
      ),
      delay: Type.Optional(
        Type.Integer({
          description: 'How much later it is sent, in ms.',
          minimum: 0,
          maximum: LONGEST_DELAY,
          default: 0,
        }),
      ),
      repeat: Type.Optional(
        Type.Integer({
          description: 'How many times it is sent, one after the other.',
          minimum: 1,
          maximum: 100,
          default: 1,
        }),
      ),
    },
    { $id: 'ScriptedCallback', additionalProperties: false },
  ),
);

/** The definition of what happens to the next callbacks, in order. */
export const CALLBACK_SCRIPT: Definition<readonly ScriptedCallback[]> = define(
  Type.Immutable(
    Type.Array(SCRIPTED_CALLBACK, {
      $id: 'Callbacks',
      title: `a list of at most ${MOST_SCRIPTED_CALLBACKS} objects with some of lose, delay, repeat`,
      maxItems: MOST_SCRIPTED_CALLBACKS,
      examples: [[{}, { lose: true }, { delay: 5000 }, { repeat: 2 }]],
    }),
  ),
);
