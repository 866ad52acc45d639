import { MomoMockError, type MomoMockErrorCode } from '../errors.ts';
import type { Ask } from './client.ts';
import { closed } from './momo-mock.ts';

/** The slashes at the end of a URL or path. The lookbehind keeps the search linear. */
export const END_SLASHES = /(?<!\/)\/+$/;

/** One call of the control API. */
export interface Call extends Ask {
  /** The `ETag` of the state that the call changes. */
  readonly ifMatch?: string | undefined;
}

/** The codes of errors that also occur with a mock in the same process. */
const SHARED: readonly MomoMockErrorCode[] = [
  'MOMO_MOCK_REQUEST_INVALID',
  'MOMO_MOCK_TOO_LARGE',
  'MOMO_MOCK_BODY_REJECTED',
  'MOMO_MOCK_OPERATION_UNKNOWN',
  'MOMO_MOCK_VARIANT_UNKNOWN',
  'MOMO_MOCK_STATE_INVALID',
  'MOMO_MOCK_STATE_REDACTED',
  'MOMO_MOCK_STATE_CHANGED',
  'MOMO_MOCK_TIMER_FAILED',
  'MOMO_MOCK_NOT_VERIFIED',
  'MOMO_MOCK_ACCOUNT_UNKNOWN',
  'MOMO_MOCK_ACCOUNT_EXISTS',
];

/** How long a call may take, in ms. A running mock responds much earlier. */
const LONGEST_CALL = 30_000;

/**
 * Calls the control API of a mock that runs elsewhere, with `fetch`. Each call uses a new
 * connection, because the server could close an idle one at the moment of the next call.
 */
export class RemoteControl {
  readonly #url: URL;
  readonly #token: string | undefined;
  readonly #closed = new AbortController();

  constructor(url: URL, token: string | undefined) {
    this.#url = url;
    this.#token = token;
  }

  /**
   * Makes a call whose response is JSON or empty.
   *
   * @param route the method and the path, such as `PUT /variant`
   * @throws MomoMockError with the code from the control API,
   *   `MOMO_MOCK_CONTROL_UNREACHABLE`, `MOMO_MOCK_CLOSED`
   */
  async send(route: string, call: Call = {}): Promise<Record<string, unknown>> {
    const [method = '', path = ''] = route.split(' ');
    const text = await this.#call(method, path, call);
    const value = text === '' ? {} : parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    throw this.notMomoMock();
  }

  /**
   * Reads any JSON, and its `ETag`.
   *
   * @returns the value `undefined` if there is none: for `MOMO_MOCK_STATE_UNKNOWN`
   * @throws MomoMockError with the codes of {@link send}
   */
  async value(path: string, call: Call): Promise<{ value: unknown; etag: string | undefined }> {
    const { status, text, etag } = await this.#fetch('GET', path, call);
    const isMissing = status === 404 && errorOf(parse(text)).code === 'MOMO_MOCK_STATE_UNKNOWN';
    return { value: isMissing ? undefined : parse(this.#checked(status, text)), etag };
  }

  /**
   * Makes a call whose response is text.
   *
   * @throws MomoMockError with the codes of {@link send}
   */
  async text(path: string): Promise<string> {
    return await this.#call('GET', path, {});
  }

  /** Aborts the running calls. Every later call fails. */
  close(): void {
    this.#closed.abort();
  }

  async #call(method: string, path: string, call: Call): Promise<string> {
    const { status, text } = await this.#fetch(method, path, call);
    return this.#checked(status, text);
  }

  /** The text of a response, or the error that it stands for. */
  #checked(status: number, text: string): string {
    if (status >= 200 && status < 300) return text;
    if (status === 401) {
      const problem = this.#token === undefined ? 'the token is missing' : 'the token is wrong';
      throw this.#unreachable(`${problem}. Set the option token to its MOMO_MOCK_CONTROL_TOKEN.`);
    }
    const { code, message } = errorOf(parse(text));
    const shared = SHARED.find((one) => one === code);
    if (shared !== undefined) throw new MomoMockError(shared, message);
    if (code.startsWith('MOMO_MOCK_')) throw this.#unreachable(`${code}. ${message}`);
    throw this.notMomoMock();
  }

  async #fetch(
    method: string,
    path: string,
    call: Call,
  ): Promise<{ status: number; text: string; etag: string | undefined }> {
    const { apikey, query = {}, json, ifMatch, wait = 0 } = call;
    const url = new URL(this.#url);
    url.pathname = url.pathname.replace(END_SLASHES, '') + path;
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    try {
      const response = await fetch(url, {
        method,
        headers: {
          connection: 'close',
          ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
          ...(apikey !== undefined && { apikey }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        },
        ...(json !== undefined && { body: json }),
        // A redirect could send the token or a key to another host.
        redirect: 'manual',
        signal: AbortSignal.any([this.#closed.signal, AbortSignal.timeout(LONGEST_CALL + wait)]),
      });
      const etag = response.headers.get('etag') ?? undefined;
      return { status: response.status, text: await response.text(), etag };
    } catch (error) {
      if (this.#closed.signal.aborted) throw closed();
      throw this.#unreachable(
        `${why(error)}. Check that momo-mock is running and its control API is on.`,
        error,
      );
    }
  }

  /** The error for a response that is not from momo-mock. */
  notMomoMock(): MomoMockError {
    return this.#unreachable('another program answers there. Use the URL of a control API.');
  }

  #unreachable(why: string, cause?: unknown): MomoMockError {
    const text = `Failed to use the control API at ${this.#url.origin}: ${why}`;
    return new MomoMockError('MOMO_MOCK_CONTROL_UNREACHABLE', text, { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(answer: unknown): { code: string; message: string } {
  const { error } = (answer ?? {}) as { error?: { code?: unknown; message?: unknown } };
  return { code: String(error?.code), message: String(error?.message) };
}

/** The cause of a failed `fetch`, whose message is only `fetch failed`. */
function why(error: unknown): string {
  const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  if (name === 'TimeoutError') return `no answer in ${LONGEST_CALL / 1000} s`;
  return cause?.code ?? cause?.message ?? 'the connection failed';
}
