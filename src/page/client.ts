import { signal } from '@preact/signals';
import { curlLine } from './curl.ts';

/** A request to the control API, which has served the page. */
export interface ControlCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  /** The id of the account that it is for; `null` or left out for all accounts. */
  readonly account?: string | null;
  /** JSON, as text or as a value. */
  readonly body?: string | object;
}

/** The control API has refused a request, or does not answer. */
export class ControlRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A question for the token of the control API. */
export interface TokenQuestion {
  /** Whether the last token was refused. */
  readonly wasWrong: boolean;
  readonly answer: (token: string) => void;
}

/** The question that the user has to answer now, if there is one. */
export const tokenQuestion = signal<TokenQuestion | null>(null);

const STORED = 'momo-mock-control-token';

/**
 * Sends a request, and asks for the token if one is needed.
 *
 * @throws ControlRefusal
 */
export async function send(
  { method, path, account, body }: ControlCall,
  more: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  for (;;) {
    const token = sessionStorage.getItem(STORED);
    const headers = {
      accept: 'application/json',
      ...(account != null && { account }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...more,
    };
    const text = textOf(body) ?? null;
    const options = { method, headers, signal, body: text, cache: 'no-store' } as const;
    const response = await fetch(path, options).catch(() => {
      throw new ControlRefusal('', 'Failed to reach momo-mock. Is it running?');
    });
    if (response.ok) return response;
    const refusal = await refusalOf(response);
    if (refusal.code !== 'MOMO_MOCK_TOKEN') throw refusal;
    await renewToken(token);
  }
}

/**
 * The response of a GET as JSON.
 *
 * @throws ControlRefusal
 */
export async function read<Value>(path: string, account: string | null = null): Promise<Value> {
  const response = await send({ method: 'GET', path, account });
  return response.json();
}

/** The line for a shell that does the same. */
export function commandOf({ method, path, account, body }: ControlCall): string {
  const token = '"authorization: Bearer $MOMO_MOCK_CONTROL_TOKEN"';
  return curlLine({
    method,
    url: `${location.origin}${path}`,
    options: ['-s', ...(sessionStorage.getItem(STORED) === null ? [] : ['-H', token])],
    headers: Object.entries({
      ...(account != null && { account }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }),
    body: textOf(body),
  });
}

function textOf(body: ControlCall['body']): string | undefined {
  return typeof body === 'object' ? JSON.stringify(body) : body;
}

let asking: Promise<void> | undefined;

/** Asks for the token once, however many requests need it. */
async function renewToken(refused: string | null): Promise<void> {
  if (sessionStorage.getItem(STORED) !== refused) return;
  asking ??= new Promise((resolve) => {
    const answer = (token: string) => {
      // A header has bytes: the server reads them as UTF-8.
      const encoded = String.fromCharCode(...new TextEncoder().encode(token));
      sessionStorage.setItem(STORED, encoded);
      tokenQuestion.value = null;
      asking = undefined;
      resolve();
    };
    tokenQuestion.value = { wasWrong: refused !== null, answer };
  });
  await asking;
}

async function refusalOf(response: Response): Promise<ControlRefusal> {
  try {
    const { error } = await response.json();
    return new ControlRefusal(`${error.code}`, `${error.message}`);
  } catch {
    const text = `Failed to use the control API: it answered with status ${response.status}.`;
    return new ControlRefusal('', text);
  }
}
