import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import { type RequestOptions, request as tlsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import type { MomoTarget } from '../../src/index.ts';

/** A received response. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body, parsed; `undefined` where it is not JSON. */
  readonly json: unknown;
}

/** How a request differs from a GET without a body. */
export interface Sent extends RequestOptions {
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

/** Says that a body that is sent as it is is JSON. */
export const AS_JSON = { 'content-type': 'application/json' };

/** Sends a request with the key of an account, over verified HTTPS, on a connection of its own. */
export async function ask(
  { url, ca, apiKey }: Pick<MomoTarget, 'url' | 'ca' | 'apiKey'>,
  path = '/momo/balance',
  options: Sent = {},
): Promise<ReceivedResponse> {
  const target = new URL(path, url);
  target.searchParams.append('apikey', apiKey);
  return await fetched(tlsRequest, target, { ca, agent: false, ...options });
}

/** Sends a request over verified HTTPS, its target byte for byte as given and with no key added. */
export async function send(
  { url, ca }: Pick<MomoTarget, 'url' | 'ca'>,
  target: string,
  options: Sent = {},
): Promise<ReceivedResponse> {
  return await fetched(tlsRequest, new URL(url), { ca, agent: false, path: target, ...options });
}

/**
 * Sends a request to the control API. A stream of events has no end: of that, the first batch counts.
 *
 * @param line the method and the path, such as `PUT /balance`
 */
export async function control(
  { controlUrl }: { readonly controlUrl: string | null },
  line: string,
  options: Sent = {},
): Promise<ReceivedResponse> {
  const [method, path = ''] = line.split(' ');
  return await fetched(plainRequest, new URL(path, `${controlUrl}`), { method, ...options });
}

async function fetched(
  request: typeof plainRequest,
  target: URL,
  { body, headers, ...options }: Sent,
): Promise<ReceivedResponse> {
  const isText = typeof body === 'string' || body === undefined || Buffer.isBuffer(body);
  const sent = Buffer.from(isText ? (body ?? '') : JSON.stringify(body));
  const isChunked = 'transfer-encoding' in Object(headers);
  const own = {
    ...(!isText && AS_JSON),
    ...(sent.length > 0 && !isChunked && { 'content-length': sent.length }),
  };
  const sentHeaders = Array.isArray(headers)
    ? [...Object.entries(own).flatMap(([name, value]) => [name, `${value}`]), ...headers]
    : { ...own, ...headers };
  const outgoing = request(target, { ...options, headers: sentHeaders });
  // A server may respond before it has read a long body, and close.
  outgoing.on('error', () => {});
  outgoing.end(sent);
  const [incoming]: [IncomingMessage] = (await once(outgoing, 'response')) as never;
  const { statusCode: status = 0, headers: received } = incoming;
  const isEndless = received['content-type']?.startsWith('text/event-stream');
  const whole = await (isEndless ? firstBatch(incoming) : text(incoming));
  return { status, headers: received, text: whole, json: parsed(whole) };
}

/** The events of a mock from now on. */
export interface Followed extends Disposable {
  /** Returns what has come, as soon as this is part of it. */
  until(part: string): Promise<string>;
}

/** Follows the events of a mock. */
export async function followEvents({
  controlUrl,
}: {
  readonly controlUrl: string | null;
}): Promise<Followed> {
  const outgoing = plainRequest(new URL('/events', `${controlUrl}`), { agent: false }).end();
  const [incoming]: [IncomingMessage] = (await once(outgoing, 'response')) as never;
  let received = '';
  incoming.setEncoding('utf8').on('data', (chunk) => (received += chunk));
  return {
    until: async (part) => {
      while (!received.includes(part)) await once(incoming, 'data');
      return received;
    },
    [Symbol.dispose]: () => void outgoing.destroy(),
  };
}

/** What a stream of events has sent once its first batch has ended. */
async function firstBatch(incoming: IncomingMessage): Promise<string> {
  let received = '';
  // To leave the loop ends the connection.
  for await (const chunk of incoming.setEncoding('utf8')) {
    received += chunk;
    if (received.includes('\n\n')) break;
  }
  return received;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
