import * as Type from 'typebox';
import { define, withRule } from './define.ts';
import type { Definition } from './definition.ts';
import { FAULTS, type FaultType, isLasting, type LastingFault } from './faults.ts';
import { MAX_DELAY_MS } from './limits.ts';

/** A fault type, or an object with the type and its options. */
export type Fault =
  | FaultType
  | { readonly type: Exclude<FaultType, LastingFault>; readonly duration?: never }
  | {
      readonly type: LastingFault;
      /** The time from the first chunk of the body to the last, in ms. @default 1000 */
      readonly duration?: number;
    };

export const FAULT_TYPES = Object.keys(FAULTS) as FaultType[];
const LASTING_FAULTS: readonly FaultType[] = FAULT_TYPES.filter(isLasting);

export const FAULT: Definition<Fault> = define(
  Type.Unsafe<Fault>(
    Type.Union(
      [
        Type.Enum(FAULT_TYPES),
        withRule(
          Type.Object(
            {
              type: Type.Enum(FAULT_TYPES),
              duration: Type.Optional(
                Type.Number({
                  description: `Only for ${LASTING_FAULTS.join(', ')}: the time from the first chunk of the body to the last, in ms. The default is ${FAULTS.dribble.duration}.`,
                  minimum: 0,
                  maximum: MAX_DELAY_MS,
                }),
              ),
            },
            {
              additionalProperties: false,
              // The same rule as below, for openapi.json.
              dependentSchemas: { duration: Type.Object({ type: Type.Enum([...LASTING_FAULTS]) }) },
            },
          ),
          ({ type, duration }) =>
            duration === undefined || LASTING_FAULTS.includes(type)
              ? undefined
              : ['duration', `must be left out, except for ${LASTING_FAULTS.join(', ')}`],
        ),
      ],
      { description: 'How to break the response on the wire.' },
    ),
  ),
);

/** A fault with all its options. */
export interface PreparedFault {
  readonly type: FaultType;
  /** The duration in ms; 0 for a fault without one. */
  readonly duration: number;
}

export function prepareFault(fault: Fault): PreparedFault {
  const options: { readonly type: FaultType; readonly duration?: number } =
    typeof fault === 'string' ? { type: fault } : fault;
  return { duration: FAULTS[options.type].duration ?? 0, ...options };
}
