import { once } from 'node:events';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { MomoAccount } from '../support/momo-mock.ts';

/** What a client needs to know, and nothing else. */
export interface Known extends Pick<MomoAccount, 'url' | 'ca' | 'apikey'> {
  /** @default a connection of its own for each request */
  readonly agent?: Agent;
}

/** What came back. */
export interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request that verifies the certificate. */
export function send(
  { url, ca, apikey, agent }: Known,
  path = '/momo/balance',
  method = 'GET',
  body?: string,
): ClientRequest {
  const target = new URL(path, url);
  target.searchParams.append('apikey', apikey);
  return request(target, { ca, agent: agent ?? false, method }).end(body);
}

/** Sends a request and waits for the whole answer. */
export async function get(known: Known, path?: string): Promise<Reply> {
  const [incoming]: [IncomingMessage] = (await once(send(known, path), 'response')) as never;
  const { statusCode: status, headers } = incoming;
  return { status, headers, text: await text(incoming) };
}

/** The balance's whole body, as a client reads it. */
export async function getBalance(known: Known): Promise<unknown> {
  return JSON.parse((await get(known)).text);
}
