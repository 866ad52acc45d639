import { type CurlRequest, curlLine } from './shell.ts';

/** A request to the control API. */
export interface ControlCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  /** The id of the account that it is for; left out for all accounts. */
  readonly account?: string | undefined;
  /** JSON. */
  readonly body?: string;
}

/** The control API has refused a request. */
export class ControlRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Gives the token that a user typed. */
export type AskToken = (wasWrong: boolean) => Promise<string>;

/** A difference of clocks that does not count, in ms. The header has whole seconds. */
const MOST_AHEAD = 3000;

const STORED = 'momo-mock-control-token';

/** Sends requests to the control API, which has served the page. */
export class ControlClient {
  readonly origin = location.origin;
  /** How far the clock of the mock is ahead of that of the browser, in ms; 0 for little. */
  clockOffset = 0;
  readonly #askToken: AskToken;
  #asking: Promise<void> | undefined;

  constructor(askToken: AskToken) {
    this.#askToken = askToken;
  }

  /** The response of a request as text. */
  async text(call: ControlCall): Promise<string> {
    const response = await this.send(call);
    return response.text();
  }

  /** The response of a request, read as JSON. */
  async json<Value>(call: ControlCall): Promise<Value> {
    const response = await this.send(call);
    return response.json();
  }

  /**
   * Sends a request. Asks for the token if one is needed.
   *
   * @throws ControlRefusal
   */
  async send(
    { method, path, account, body }: ControlCall,
    more: Readonly<Record<string, string>> = {},
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    for (;;) {
      const token = sessionStorage.getItem(STORED);
      const headers = {
        accept: 'application/json',
        ...(account !== undefined && { account }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...more,
      };
      const response = await fetch(path, {
        ...{ method, headers, signal, cache: 'no-store' },
        ...(body !== undefined && { body }),
      });
      this.#compareClocks(response);
      if (response.ok) return response;
      const refusal = await refusalOf(response);
      if (refusal.code !== 'MOMO_MOCK_TOKEN') throw refusal;
      await this.#renewToken(token);
    }
  }

  /** The line for a shell that does the same. */
  command({ method, path, account, body }: ControlCall): string {
    const needsToken = sessionStorage.getItem(STORED) !== null;
    const request: CurlRequest = {
      method,
      url: `${this.origin}${path}`,
      options: ['-s'],
      rawHeaders: needsToken ? ['"authorization: Bearer $MOMO_MOCK_CONTROL_TOKEN"'] : [],
      headers: [
        ...(account === undefined ? [] : [['account', account] as const]),
        ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
      ],
      body,
    };
    return curlLine(request);
  }

  #compareClocks({ headers }: Response): void {
    const ahead = Date.parse(headers.get('date') ?? '') - Date.now();
    if (!Number.isNaN(ahead)) this.clockOffset = Math.abs(ahead) < MOST_AHEAD ? 0 : ahead;
  }

  /** Asks for the token once, however many requests need it. */
  #renewToken(refused: string | null): Promise<void> {
    if (sessionStorage.getItem(STORED) !== refused) return Promise.resolve();
    this.#asking ??= this.#askToken(refused !== null)
      .then((token) => sessionStorage.setItem(STORED, encodedToken(token)))
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }
}

/** A header has bytes: the server reads them as UTF-8. */
function encodedToken(token: string): string {
  return String.fromCharCode(...new TextEncoder().encode(token));
}

async function refusalOf(response: Response): Promise<ControlRefusal> {
  try {
    const { error } = await response.json();
    return new ControlRefusal(response.status, `${error.code}`, `${error.message}`);
  } catch {
    const text = `Failed to use the control API: it answered with status ${response.status}.`;
    return new ControlRefusal(response.status, '', text);
  }
}
