import * as Type from 'typebox';
import { define } from './define.ts';
import type { Definition } from './definition.ts';
import { FAULTS, type FaultType } from './faults.ts';
import { MAX_DELAY_MS } from './limits.ts';

/** The faults with the option `duration`. */
type LastingFault = {
  [Name in FaultType]: 'duration' extends keyof (typeof FAULTS)[Name] ? Name : never;
}[FaultType];

/** A fault type, or an object with the type and its options. */
export type Fault =
  | FaultType
  | { readonly type: Exclude<FaultType, LastingFault> }
  | {
      readonly type: LastingFault;
      /** The time from the first chunk of the body to the last, in ms. @default 1000 */
      readonly duration?: number;
    };

export const FAULT_TYPES = Object.keys(FAULTS) as FaultType[];

const LASTING = FAULT_TYPES.filter((type) => 'duration' in FAULTS[type]);
const LASTING_WORDS = LASTING.join(' and ');

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
                  description: `Only for ${LASTING_WORDS}: the time from the first chunk of the body to the last, in ms. The default is ${FAULTS.dribble.duration}.`,
                  minimum: 0,
                  maximum: MAX_DELAY_MS,
                }),
              ),
            },
            {
              additionalProperties: false,
              // The same rule as below, for openapi.json.
              dependentSchemas: { duration: Type.Object({ type: Type.Enum(LASTING) }) },
            },
          ),
          ({ type, duration }) => LASTING.includes(type) || duration === undefined,
          () => `duration: must be left out, except for ${LASTING_WORDS}`,
        ),
      ],
      { description: 'How to break the response on the wire.' },
    ),
  ),
);

/** A fault with all its options. */
export interface ReadFault {
  readonly type: FaultType;
  /** In ms, for a fault that has this option. */
  readonly duration: number;
}

export function readFault(fault: Fault): ReadFault {
  const options: { type: FaultType; duration?: number } =
    typeof fault === 'string' ? { type: fault } : fault;
  return { duration: FAULTS.dribble.duration, ...options };
}
