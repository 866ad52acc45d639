import { request } from 'node:https';
import type { DrillProvider } from '../support/momo-mock.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
  /** Whether it takes any certificate. @default false */
  readonly isUnverified?: boolean | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON of the provider
  readonly json: any;
  readonly text: string;
}

/**
 * Calls the provider, as an application does.
 *
 * @param timeout in ms, or undefined for none
 * @throws Error if there is no complete response in time
 */
export function call(
  { url, ca }: Pick<DrillProvider, 'url'> & Partial<DrillProvider>,
  { method, path, headers = {}, body, isUnverified = false }: Call,
  timeout: number | undefined,
): Promise<Reply> {
  return new Promise((done, fail) => {
    const options = { method, ca, agent: false, rejectUnauthorized: !isUnverified };
    const signal = timeout === undefined ? {} : { signal: AbortSignal.timeout(timeout) };
    const json = body && { 'content-type': 'application/json' };
    const outgoing = request(
      `${url}${path}`,
      { ...options, ...signal, headers: { ...json, ...headers } },
      (response) => {
        let text = '';
        response.on('error', fail);
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response;
          done({ status, headers, json: parsed(text), text });
        });
      },
    );
    outgoing.on('error', fail);
    outgoing.end(body && JSON.stringify(body));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
