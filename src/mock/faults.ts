/** The operations of a fault on the connection of a response. */
export interface Wire {
  /** Resets the connection (TCP RST). */
  reset(): void;
  close(): void;
  /** Never responds. */
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
  /** For the documentation and the live page. */
  readonly description: string;
  /** Whether the mock itself cuts the connection, so that the request does not count as aborted. */
  readonly isCut: boolean;
  inject(wire: Wire, body: Uint8Array, duration: number): void;
}

/** The default time of a `dribble` from its first chunk to its last, in ms. */
export const DRIBBLE_MS = 1000;

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
    inject: (wire) => wire.reset(),
  },
  close: {
    description: 'connection closed without a response',
    isCut: true,
    inject: (wire) => wire.close(),
  },
  truncate: {
    description: 'body shorter than its content-length',
    isCut: true,
    inject: (wire, body) => {
      wire.head(Math.max(1, body.length));
      wire.write(half(body), () => wire.close());
    },
  },
  malformed: {
    description: 'body that does not parse',
    isCut: false,
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
    inject: dribble,
  },
  hang: {
    description: 'no response',
    isCut: false,
    inject: (wire) => wire.hang(),
  },
} as const satisfies Readonly<Record<string, FaultDefinition>>;

export type FaultType = keyof typeof FAULTS;

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
