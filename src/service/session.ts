import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** The target and the headers of a request. */
export interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** What is known of a connection as long as it is open. */
export class Session {
  /** The TLS mode that it began in. */
  readonly tls: string;
  #raw: readonly string[] = [];
  #seen: Seen = { url: '', headers: {} };

  constructor(tls: string) {
    this.tls = tls;
  }

  /**
   * The target and headers of a request. Clients send the same over a connection again and again:
   * then it is those of the request before, so that the journal holds one of them and not thousands.
   */
  read(request: IncomingMessage): Seen {
    const { url = '', rawHeaders } = request;
    const cameAgain = isSame(rawHeaders, this.#raw);
    if (!cameAgain || url !== this.#seen.url) {
      this.#seen = { url, headers: cameAgain ? this.#seen.headers : request.headers };
      this.#raw = rawHeaders;
    }
    return this.#seen;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}
