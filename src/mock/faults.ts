/** The operations of a fault on the connection of a response. */
export interface Wire {
  /** Resets the connection (TCP RST). */
  reset(): void;
  close(): void;
  /** Leaves the client without a response. */
  hang(): void;
  /** Sends the status and the headers, which announce a body of this length. */
  head(length: number): void;
  /** Sends a chunk of the body, and calls `onSent` after it has left. */
  write(part: Uint8Array, onSent?: () => void): void;
  /** Sends the last chunk of the body. */
  end(part: Uint8Array): void;
  /** Runs a function later, unless the request ends first. */
  after(ms: number, act: () => void): void;
}

interface FaultDefinition {
  /** The documentation and the live page show it. */
  readonly description: string;
  /** Whether the mock itself cuts the connection, so that the request does not count as aborted. */
  readonly isCut: boolean;
  /**
   * The default of the option `duration`: the time from the first chunk of the body to the last, in ms.
   * `null` for a fault without this option.
   */
  readonly duration: number | null;
  inject(wire: Wire, body: Uint8Array, duration: number): void;
}

/** The maximum number of chunks of a `dribble`. */
const MAX_PARTS = 10;

/**
 * All faults. The type, the schemas, the page's words and the journal are derived from this table. It
 * imports nothing, because the live page loads it.
 */
export const FAULTS = {
  reset: {
    description: 'connection reset (TCP RST)',
    isCut: true,
    duration: null,
    inject: (wire) => wire.reset(),
  },
  close: {
    description: 'connection closed without a response',
    isCut: true,
    duration: null,
    inject: (wire) => wire.close(),
  },
  truncate: {
    description: 'body shorter than its content-length',
    isCut: true,
    duration: null,
    inject: (wire, body) => {
      wire.head(Math.max(1, body.length));
      wire.write(half(body), () => wire.close());
    },
  },
  malformed: {
    description: 'body that does not parse',
    isCut: false,
    duration: null,
    inject: (wire, body) => {
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
    duration: 1000,
    inject: dribble,
  },
  hang: {
    description: 'no response',
    isCut: false,
    duration: null,
    inject: (wire) => wire.hang(),
  },
} as const satisfies Readonly<Record<string, FaultDefinition>>;

export type FaultType = keyof typeof FAULTS;

/** The faults with the option `duration`. */
export type LastingFault = {
  [type in FaultType]: (typeof FAULTS)[type]['duration'] extends null ? never : type;
}[FaultType];

export function isLasting(type: FaultType): type is LastingFault {
  return FAULTS[type].duration !== null;
}

function half(body: Uint8Array): Uint8Array {
  return body.subarray(0, body.length / 2);
}

/** Sends the first chunk immediately and the last one at the end; a single chunk at the end. */
function dribble(wire: Wire, body: Uint8Array, duration: number): void {
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
