import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** What is known of a connection as long as it is open. */
export class Session {
  /** The TLS mode that it began in. */
  readonly tls: string;
  #raw: readonly string[] = [];
  #headers: IncomingHttpHeaders = {};
  #url = '';

  constructor(tls: string) {
    this.tls = tls;
  }

  /**
   * The target and headers of a request. Clients send the same over a connection again and again:
   * then it is those of the request before, so that the journal holds one of them and not thousands.
   */
  read(request: IncomingMessage): { url: string; headers: IncomingHttpHeaders } {
    const { url = '', rawHeaders } = request;
    if (url !== this.#url) this.#url = url;
    if (!isSame(rawHeaders, this.#raw)) {
      this.#raw = rawHeaders;
      this.#headers = request.headers;
    }
    return { url: this.#url, headers: this.#headers };
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}
