import * as Type from 'typebox';
import { define } from './check.ts';
import type { Definition } from './definition.ts';
import { LONGEST_DELAY } from './delay.ts';

/** How long a `dribble` takes where nothing else is said, in ms. */
export const DRIBBLE_DURATION = 1000;

/** The ways in which an answer can be broken on the wire. */
export const FAULTS = ['reset', 'close', 'truncate', 'malformed', 'dribble', 'hang'] as const;

/**
 * A way in which an answer is broken on the wire.
 *
 * - `reset`: the connection is reset (TCP RST)
 * - `close`: the connection is closed without a byte of an answer
 * - `truncate`: less of the body comes than `content-length` promises
 * - `malformed`: the body does not parse
 * - `dribble`: the body comes in pieces
 * - `hang`: nothing comes until the client gives up or the mock stops
 */
export type FaultType = (typeof FAULTS)[number];

/** A fault, as it is scripted: its name, or with how long it takes. */
export type Fault =
  | FaultType
  | { readonly type: Exclude<FaultType, 'dribble'> }
  | {
      readonly type: 'dribble';
      /**
       * From the first piece to the last, in ms.
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
                  description: `For dribble only: from the first piece to the last, in ms; left out: ${DRIBBLE_DURATION}.`,
                  minimum: 0,
                  maximum: LONGEST_DELAY,
                }),
              ),
            },
            {
              additionalProperties: false,
              // The rule below, for openapi.json.
              dependentSchemas: { duration: Type.Object({ type: Type.Literal('dribble') }) },
            },
          ),
          ({ type, duration }) => type === 'dribble' || duration === undefined,
          () => 'duration: must be left out, except for dribble',
        ),
      ],
      { description: 'How the answer is broken on the wire.' },
    ),
  ),
);

/** A fault with all that it needs. */
export interface ReadFault {
  readonly type: FaultType;
  /** For `dribble`, in ms. */
  readonly duration: number;
}

/** Fills in what a fault leaves out. */
export function readFault(fault: Fault): ReadFault {
  const { type, duration = DRIBBLE_DURATION }: Partial<ReadFault> & Pick<ReadFault, 'type'> =
    typeof fault === 'string' ? { type: fault } : fault;
  return { type, duration };
}
