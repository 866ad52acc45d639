import * as Type from 'typebox';
import { define } from './define.ts';
import type { Definition } from './definition.ts';
import { DRIBBLE_MS, FAULTS, type FaultType } from './faults.ts';
import { MAX_DELAY_MS } from './limits.ts';

/** A fault type, or an object with the type and its options. */
export type Fault =
  | FaultType
  | { readonly type: Exclude<FaultType, 'dribble'> }
  | {
      readonly type: 'dribble';
      /** The time from the first chunk of the body to the last, in ms. @default 1000 */
      readonly duration?: number;
    };

export const FAULT_TYPES = Object.keys(FAULTS) as FaultType[];

export const FAULT: Definition<Fault> = define(
  Type.Unsafe<Fault>(
    Type.Union(
      [
        Type.Enum(FAULT_TYPES),
        Type.Refine(
          Type.Object(
            {
              type: Type.Enum(FAULT_TYPES),
              duration: Type.Optional(
                Type.Number({
                  description: `Only for dribble: the time from the first chunk of the body to the last, in ms. The default is ${DRIBBLE_MS}.`,
                  minimum: 0,
                  maximum: MAX_DELAY_MS,
                }),
              ),
            },
            {
              additionalProperties: false,
              // The same rule as below, for openapi.json.
              dependentSchemas: { duration: Type.Object({ type: Type.Enum(['dribble']) }) },
            },
          ),
          ({ type, duration }) => type === 'dribble' || duration === undefined,
          () => 'duration: must be left out, except for dribble',
        ),
      ],
      { description: 'How to break the response on the wire.' },
    ),
  ),
);

/** A fault with all its options. */
export interface PreparedFault {
  readonly type: FaultType;
  /** For a dribble, in ms. */
  readonly duration: number;
}

export function prepareFault(fault: Fault): PreparedFault {
  const options: { type: FaultType; duration?: number } =
    typeof fault === 'string' ? { type: fault } : fault;
  return { duration: DRIBBLE_MS, ...options };
}
