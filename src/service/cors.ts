import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** Who may read answers from a browser: everyone, nobody, or the origins listed. */
export type CorsOrigin = '*' | 'off' | readonly string[];

const NONE: OutgoingHttpHeaders = {};
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/**
 * Cross-origin resource sharing, so that a browser page can be a client. Assumed: the contract
 * does not say whether the service has it.
 */
export class Cors {
  readonly #allowed: CorsOrigin;

  constructor(allowed: CorsOrigin) {
    this.#allowed = allowed;
  }

  /** The headers that an answer carries. */
  headers(request: IncomingHttpHeaders): OutgoingHttpHeaders {
    if (this.#allowed === 'off') return NONE;
    if (this.#allowed === '*') return EVERYONE;
    const { origin } = request;
    if (origin === undefined || !this.#allowed.includes(origin)) return { vary: 'Origin' };
    return { ...EVERYONE, 'access-control-allow-origin': origin, vary: 'Origin' };
  }

  /**
   * The headers of the answer to a preflight request, or `undefined` where the request is none.
   * A preflight never carries the key: browsers leave it to the request that follows.
   */
  preflight(method: string, request: IncomingHttpHeaders): OutgoingHttpHeaders | undefined {
    const isPreflight =
      method === 'OPTIONS' &&
      request.origin !== undefined &&
      request['access-control-request-method'] !== undefined;
    if (!isPreflight || this.#allowed === 'off') return undefined;
    const headers = this.headers(request);
    if (headers['access-control-allow-origin'] === undefined) return headers;
    return {
      ...headers,
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': request['access-control-request-headers'] ?? '*',
    };
  }
}

const EVERYONE: OutgoingHttpHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
};
