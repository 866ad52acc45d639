/** The operations of a fault on the connection of a response. */
export interface Wire {
  /** TCP RST. */
  reset(): void;
  close(): void;
  /** Leaves the client without a response. */
  hang(): void;
  /** Sends the status and the headers, which announce a body of this length. */
  head(length: number): void;
  /** Sends a chunk of the body, and calls `onSent` after it has left. */
  write(part: Uint8Array, onSent?: () => void): void;
  /** Writes the last chunk. */
  end(part: Uint8Array): void;
  /** Runs a function later, unless the request ends first. */
  after(ms: number, act: () => void): void;
}

/** A number that changes a fault. Faults with the same option share its definition. */
export interface FaultOption {
  /** The documentation shows it. */
  readonly about: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
  /** The live page shows it. */
  readonly label: string;
  /** The live page shows it after the description of the fault. */
  readonly words: (value: number) => string;
}

export interface FaultDefinition {
  /** The documentation and the live page show it. */
  readonly description: string;
  /** Whether the mock itself cuts the connection, so that the request does not count as aborted. */
  readonly isCut: boolean;
  /** Whether the client receives a status line. */
  readonly hasStatus: boolean;
  readonly options?: Readonly<Record<string, FaultOption>>;
  inject(wire: Wire, body: Uint8Array, options: Readonly<Record<string, number>>): void;
}

const MAX_PARTS = 10;

/**
 * All faults. The types, the schemas, the live page and the journal are derived from this table. It
 * imports nothing, because the live page loads it.
 */
export const FAULTS = {
  reset: {
    description: 'connection reset (TCP RST)',
    isCut: true,
    hasStatus: false,
    inject: (wire) => wire.reset(),
  },
  close: {
    description: 'connection closed without a response',
    isCut: true,
    hasStatus: false,
    inject: (wire) => wire.close(),
  },
  truncate: {
    description: 'body shorter than its content-length',
    isCut: true,
    hasStatus: true,
    inject: (wire, body: Uint8Array) => {
      wire.head(Math.max(1, body.length));
      wire.write(half(body), () => wire.close());
    },
  },
  malformed: {
    description: 'body that does not parse',
    isCut: false,
    hasStatus: true,
    inject: (wire, body: Uint8Array) => {
      // The unclosed bracket makes it invalid JSON in any case.
      const end = new TextEncoder().encode('}{');
      wire.head(half(body).length + end.length);
      wire.write(half(body));
      wire.end(end);
    },
  },
  dribble: {
    description: 'body in chunks',
    isCut: false,
    hasStatus: true,
    options: {
      /** The time from the first chunk of the body to the last, in ms. @default 1000 */
      duration: {
        about: 'the time from the first chunk of the body to the last, in ms',
        minimum: 0,
        maximum: 3_600_000,
        default: 1000,
        label: 'Duration in ms',
        words: (ms) => `over ${ms} ms`,
      },
    },
    inject: dribble,
  },
  hang: {
    description: 'no response',
    isCut: false,
    hasStatus: false,
    inject: (wire) => wire.hang(),
  },
} as const satisfies Readonly<Record<string, FaultDefinition>>;

/** The name of a fault, such as `reset`. */
export type ResponseFaultType = keyof typeof FAULTS;

export function optionsOf(type: ResponseFaultType): Readonly<Record<string, FaultOption>> {
  const { options = {} }: FaultDefinition = FAULTS[type];
  return options;
}

function half(body: Uint8Array): Uint8Array {
  return body.subarray(0, body.length / 2);
}

/** Sends the first chunk immediately and the last one at the end; a single chunk at the end. */
function dribble(wire: Wire, body: Uint8Array, { duration }: { readonly duration: number }): void {
  wire.head(body.length);
  const count = Math.max(1, Math.min(MAX_PARTS, body.length));
  const interval = duration / Math.max(1, count - 1);
  const sendPart = (index: number): void => {
    const part = body.subarray((body.length * index) / count, (body.length * (index + 1)) / count);
    if (index === count - 1) {
      wire.end(part);
      return;
    }
    wire.write(part);
    wire.after(interval, () => sendPart(index + 1));
  };
  if (count === 1) wire.after(interval, () => sendPart(0));
  else sendPart(0);
}
