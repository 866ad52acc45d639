import type { FaultType } from './fault.ts';
import type { Source } from './journal-entry.ts';
import type { Reason } from './reason.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * An entry of the journal as it is written, with all that may hold keys still in it. Never to be
 * shown. Once nothing more is written to it, and it has to make room, it is the next one's: in a
 * journal that is full, a new object for each request would be most of the garbage there is.
 */
export class Draft {
  declare id: number;
  /** Unix time in ms. */
  declare time: number;
  declare tls: string | null;
  declare method: string | null;
  declare headers: Headers;
  declare account: string | null;
  /** The request target as it came over the wire; `null` where it could not be understood. */
  declare target: string | null;
  /** The operation's, or with unknown text left out. */
  declare path: string | null;
  declare operation: string | null;
  declare body: Buffer | null;
  declare status: number | null;
  declare source: Source | null;
  declare file: string | null;
  declare variant: string | null;
  declare fault: FaultType | null;
  declare reason: Reason | null;
  /** Its duration in tenths of a ms: a whole number, unlike another, is no object to be thrown away. */
  declare durationMs: number | null;
  declare bodyCut: boolean;
  declare aborted: boolean;
  /** Nothing more is written to it. */
  declare isOver: boolean;

  constructor(id: number, method: string | null, headers: Headers, tls: string | null) {
    this.begin(id, method, headers, tls);
  }

  /** Makes it the entry of an arrival of which no more is known, whatever it was. */
  begin(id: number, method: string | null, headers: Headers, tls: string | null): this {
    this.id = id;
    this.time = Date.now();
    this.tls = tls;
    this.method = method;
    this.headers = headers;
    this.account = null;
    this.target = null;
    this.path = null;
    this.operation = null;
    this.body = null;
    this.status = null;
    this.source = null;
    this.file = null;
    this.variant = null;
    this.fault = null;
    this.reason = null;
    this.durationMs = null;
    this.bodyCut = false;
    this.aborted = false;
    this.isOver = false;
    return this;
  }
}
