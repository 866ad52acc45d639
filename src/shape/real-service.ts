import {
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { MAX_FIXTURE_BYTES } from '../mock/limits.ts';
import { DEFAULT_KEY_RULE, type KeyParts, type KeyRule } from '../mock/requests/key-rule.ts';
import { DIRECT } from '../redirect/redirect.ts';
import { setTimeout, timeOfDay, within } from '../timers.ts';

export const TIME_LIMIT = 30_000;

/** The maximum time in a `retry-after` to wait for, in ms. */
export const MAX_RETRY_WAIT = 60_000;

export interface RealServiceOptions {
  /** The base URL: https, without a query. */
  readonly url: string;
  /** The certificates to trust, as PEM. @default Node's own */
  readonly ca?: string;
  readonly userAgent: string;
  readonly keyRule?: KeyRule;
}

export interface RealResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its content encoding is undone. */
  readonly body: Buffer;
}

/** It never quotes the service and has no cause, because Node's errors may contain received bytes. */
export class RealServiceProblem extends Error {}

/** It sends only GET, verifies TLS and follows no redirect. */
export class RealService {
  readonly keyRule: KeyRule;
  readonly #options: RealServiceOptions;

  constructor(options: RealServiceOptions) {
    this.keyRule = options.keyRule ?? DEFAULT_KEY_RULE;
    this.#options = options;
  }

  /**
   * Retries once if the response asks for it.
   *
   * @param path percent-encoded
   */
  async get(
    path: string,
    query: readonly (readonly [name: string, value: string])[] = [],
    key?: string,
  ): Promise<RealResponse> {
    const url = this.#urlOf(path);
    const parts = key === undefined ? undefined : this.keyRule.carry(key);
    for (const [name, value] of [...query, ...Object.entries(parts?.query ?? {})]) {
      url.searchParams.append(name, value);
    }
    const first = await this.#send(url, parts);
    const wait = retryAfter(first);
    if (wait === undefined) return first;
    await new Promise<void>((resolve) => setTimeout(resolve, wait));
    return await this.#send(url, parts);
  }

  /** A redirect, an error or a failed connection means that it does not. */
  async servesPlainHttp(path: string): Promise<boolean> {
    const url = this.#urlOf(path);
    url.protocol = 'http:';
    const response = await this.#send(url).catch(() => undefined);
    return response !== undefined && (response.status < 300 || response.status === 401);
  }

  #urlOf(path: string): URL {
    return new URL(this.#options.url.replace(/\/*$/, '') + path);
  }

  async #send(url: URL, key?: KeyParts): Promise<RealResponse> {
    const { ca, userAgent } = this.#options;
    const isSecure = url.protocol === 'https:';
    const options = {
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': userAgent,
        ...key?.headers,
      },
      ...(typeof key?.user === 'string' && { auth: `${key.user}:` }),
      agent: false,
      ...DIRECT,
      ...(isSecure && { ca, rejectUnauthorized: true }),
    };
    const request = (isSecure ? httpsRequest : httpRequest)(url, options).end();
    const received = within(receive(request), TIME_LIMIT, () => {
      const limit = `${TIME_LIMIT / 1000} s`;
      return new RealServiceProblem(`the real service took more than ${limit}. Try again later.`);
    });
    return await received.finally(() => request.destroy());
  }
}

function receive(request: ClientRequest): Promise<RealResponse> {
  return new Promise((resolve, reject) => {
    const fail = (error = new Error()) => reject(connectionError(error));
    request.on('error', fail);
    // Node reports a switch of protocols only as a close.
    request.on('close', fail);
    request.on('response', (response) => {
      request.off('close', fail);
      readResponse(response).then(resolve, reject);
    });
  });
}

function tooLong(): RealServiceProblem {
  return new RealServiceProblem(
    'the response is larger than 10 MiB. Request fewer items, such as with --query limit=10.',
  );
}

async function readResponse(response: IncomingMessage): Promise<RealResponse> {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_FIXTURE_BYTES) throw tooLong();
    }
  } catch (error) {
    throw error instanceof RealServiceProblem ? error : connectionError(new Error());
  }
  return withoutEncoding({ status, headers, body: Buffer.concat(chunks) });
}

/** Some services encode a response although the request asks them not to. */
async function withoutEncoding(response: RealResponse): Promise<RealResponse> {
  const { headers, body } = response;
  const { 'content-encoding': encoding } = headers;
  if (encoding === undefined || body.length === 0) return response;
  const { decodeContent } = await import('../mock/requests/content-encoding.ts');
  const decoded = await decodeContent(body, encoding, MAX_FIXTURE_BYTES);
  if (Buffer.isBuffer(decoded)) return { ...response, body: decoded };
  throw decoded.isTooLong
    ? tooLong()
    : new RealServiceProblem(`the body of the response ${decoded.message}. Ask its provider.`);
}

const CERTIFICATE = /CERT|SIGNATURE|ISSUER|SELF_SIGNED|CA_|CRL/;

/** Contains only the error's code, because Node's messages quote received bytes. */
function connectionError(error: NodeJS.ErrnoException): RealServiceProblem {
  const code = /^[A-Z][A-Z0-9_]+$/.test(error.code ?? '') ? ` (${error.code})` : '';
  if (code.includes('HPE_')) {
    const isLarge = code.includes('HPE_HEADER_OVERFLOW');
    const what = isLarge ? 'has more than 16 KiB of headers' : 'is not valid HTTP/1.1';
    return new RealServiceProblem(
      `the response of the real service ${what}${code}. Check MOMO_MOCK_REAL_URL, and compare the response with the output of curl -v.`,
    );
  }
  return new RealServiceProblem(
    CERTIFICATE.test(code)
      ? `the certificate of the real service cannot be verified${code}. Check MOMO_MOCK_REAL_URL. If the real service uses a private CA, set MOMO_MOCK_REAL_CA_FILE.`
      : `the connection to the real service failed${code}. Check MOMO_MOCK_REAL_URL and the network.`,
  );
}

/** How long to wait before a retry, in ms; `undefined` for no retry. */
function retryAfter({ status, headers }: RealResponse): number | undefined {
  const text = headers['retry-after'];
  if ((status !== 429 && status !== 503) || text === undefined) return undefined;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - timeOfDay();
  return wait <= MAX_RETRY_WAIT ? Math.max(0, wait) : undefined;
}
