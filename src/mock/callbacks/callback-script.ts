import * as Type from 'typebox';
import { define } from '../define.ts';
import type { Definition } from '../definition.ts';
import { MAX_CALLBACK_DELAY, MOST_SCRIPTED_CALLBACKS } from '../limits.ts';

/** What a test scripts for the next callback. An empty object changes nothing. */
export interface ScriptedCallback {
  /** Whether to drop it: it is not sent and not tried again. @default false */
  readonly lose?: boolean;
  /** The delay before sending, in ms, at most a day. @default 0 */
  readonly delay?: number;
  /** The number of times to send it, one after the other. @default 1 */
  readonly repeat?: number;
}

/** The definition of {@link ScriptedCallback}. */
export const SCRIPTED_CALLBACK: Definition<ScriptedCallback> = define(
  Type.Object(
    {
      lose: Type.Optional(
        Type.Boolean({
          description: 'Whether to drop it: it is not sent and not tried again.',
          default: false,
        }),
      ),
      delay: Type.Optional(
        Type.Integer({
          description: 'The delay before sending, in ms.',
          minimum: 0,
          maximum: MAX_CALLBACK_DELAY,
          default: 0,
        }),
      ),
      repeat: Type.Optional(
        Type.Integer({
          description: 'The number of times to send it, one after the other.',
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
