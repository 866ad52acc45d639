import { LONGEST_DELAY } from './delay.ts';
import { fieldsOf, invalid, numberIn } from './invalid.ts';

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

/** A fault, read. */
export interface ReadFault {
  readonly type: FaultType;
  /** For `dribble`, in ms. */
  readonly duration: number;
}

const DRIBBLE = 1000;

/**
 * Checks a fault.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID`
 */
export function readFault(fault: unknown): ReadFault {
  if (typeof fault === 'string') return { type: readType(fault, 'fault'), duration: DRIBBLE };
  const fields = fieldsOf(fault, 'fault', ['type', 'duration']);
  const type = readType(fields.type, 'fault.type');
  if (fields.duration === undefined) return { type, duration: DRIBBLE };
  if (type !== 'dribble') throw invalid('fault.duration', 'it for the fault dribble alone');
  return { type, duration: numberIn(fields.duration, 'fault.duration', 0, LONGEST_DELAY) };
}

function readType(type: unknown, field: string): FaultType {
  const found = FAULTS.find((name) => name === type);
  if (found === undefined) throw invalid(field, `one of ${FAULTS.join(', ')}`);
  return found;
}
