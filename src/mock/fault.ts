import * as Type from 'typebox';
import { define } from './define.ts';
import type { Definition } from './definition.ts';
import { LONGEST_DELAY } from './limits.ts';

/** The default duration of a `dribble`, in ms. */
export const DRIBBLE_DURATION = 1000;

/** The ways to break a response on the wire. */
export const FAULTS = ['reset', 'close', 'truncate', 'malformed', 'dribble', 'hang'] as const;

/**
 * A way to break a response on the wire.
 *
 * - `reset`: the connection is reset (TCP RST)
 * - `close`: the connection is closed before any byte of the response
 * - `truncate`: the body is shorter than its `content-length`
 * - `malformed`: the body does not parse
 * - `dribble`: the body is sent in pieces
 * - `hang`: nothing is sent until the client gives up or the mock stops
 */
export type FaultType = (typeof FAULTS)[number];

/** A fault: its type, or an object with the type and its options. */
export type Fault =
  | FaultType
  | { readonly type: Exclude<FaultType, 'dribble'> }
  | {
      readonly type: 'dribble';
      /**
       * The time from the first piece to the last, in ms.
       *
       * @default 1000
       */
      readonly duration?: number;
    };

/** The definition of a fault. */
export const FAULT: Definition<Fault> = define(
  Type.Unsafe<Fault>(
    Type.Union(
      [
        Type.Enum([...FAULTS]),
        Type.Refine(
          Type.Object(
            {
              type: Type.Enum([...FAULTS]),
              duration: Type.Optional(
                Type.Number({
                  description: `Only for dribble: the time from the first piece to the last, in ms. The default is ${DRIBBLE_DURATION}.`,
                  minimum: 0,
                  maximum: LONGEST_DELAY,
                }),
              ),
            },
            {
              additionalProperties: false,
              // The same rule as below, for openapi.json.
              dependentSchemas: { duration: Type.Object({ type: Type.Literal('dribble') }) },
            },
          ),
          ({ type, duration }) => type === 'dribble' || duration === undefined,
          () => 'duration: must be left out, except for dribble',
        ),
      ],
      { description: 'How the response is broken on the wire.' },
    ),
  ),
);

/** A fault with all its options. */
export interface ReadFault {
  readonly type: FaultType;
  /** The time from the first piece to the last for `dribble`, in ms. */
  readonly duration: number;
}

/** Fills in the defaults of a fault. */
export function readFault(fault: Fault): ReadFault {
  const { type, duration = DRIBBLE_DURATION }: Partial<ReadFault> & Pick<ReadFault, 'type'> =
    typeof fault === 'string' ? { type: fault } : fault;
  return { type, duration };
}
