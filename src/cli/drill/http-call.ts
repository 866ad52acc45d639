import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ExactNumber, writeJson } from '../../mock/json/exact-json.ts';
import type { HttpCall } from './config.ts';
import { fillIn, fillInAll, fillInUrl, type PlaceholderValues, replaceTexts } from './template.ts';

/** The maximum length of a response, in bytes: 1 MiB. */
const MAX_RESPONSE_BYTES = 1_048_576;

/** How long requests of one turn wait for each other, in ms. */
const TO_CONNECT = 1000;

/**
 * Requests that begin in one turn of the event loop leave together, when all have a connection: what an
 * application does in between, such as a look into its database, shows only then.
 */
class Departure {
  static #next: Departure | undefined;
  #connecting = 0;
  #leave = () => {};
  readonly #left = new Promise<void>((resolve) => (this.#leave = resolve));

  static ofThisTurn(): Departure {
    const departure = Departure.#next ?? new Departure();
    Departure.#next = departure;
    departure.#connecting++;
    return departure;
  }

  private constructor() {
    setImmediate(() => {
      Departure.#next = undefined;
    });
    setTimeout(this.#leave, TO_CONNECT).unref();
  }

  /** Called when a request has a connection, or none. Resolves when all can leave. */
  async ready(): Promise<void> {
    this.#connecting--;
    if (this.#connecting === 0) this.#leave();
    await this.#left;
  }
}

/**
 * Each call uses a new connection, because the application could close an idle one.
 *
 * @throws Error with the reason, such as `ECONNREFUSED`
 */
export async function sendCall(
  call: HttpCall & { readonly method: string },
  values: PlaceholderValues,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const url = fillInUrl(call.url, values);
  const timeout = AbortSignal.timeout(limit);
  const given = fillInAll(call.headers ?? {}, values);
  const hasType = Object.keys(given).find((name) => name.toLowerCase() === 'content-type');
  const body = bodyOf(call.body, values, given[hasType ?? '']);
  const departure = Departure.ofThisTurn();
  try {
    const open = url.startsWith('https:') ? httpsRequest : httpRequest;
    const type = typeof call.body === 'string' ? 'text/plain' : 'application/json';
    const sent = open(url, {
      method: call.method,
      agent: false,
      headers: {
        accept: 'application/json, */*',
        ...(body !== undefined && {
          'content-length': Buffer.byteLength(body),
          ...(hasType === undefined && { 'content-type': type }),
        }),
        ...given,
      },
      signal: AbortSignal.any([signal, timeout]),
    });
    // Once there is a response, it reports the errors too.
    sent.on('error', () => {});
    const responded = once(sent, 'response');
    const connected = once(sent, 'socket').then(([socket]) => once(socket, 'connect'));
    await Promise.race([connected, responded]).finally(() => departure.ready());
    sent.end(body);
    const [response] = (await responded) as [IncomingMessage];
    return { status: response.statusCode ?? 0, text: await responseText(response) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = timeout.aborted ? `no response in ${limit / 1000} s` : (code ?? message);
    throw new Error(why, { cause: error });
  }
}

function bodyOf(body: unknown, values: PlaceholderValues, type = ''): string | undefined {
  if (body === undefined) return undefined;
  if (typeof body !== 'string') {
    const { amount = '' } = values;
    const fill = (text: string) =>
      text === '{amount}' ? new ExactNumber(amount) : fillIn(text, values);
    return writeJson(replaceTexts(body, fill));
  }
  const isForm = type.includes('x-www-form-urlencoded');
  return fillIn(body, values, isForm ? encodeURIComponent : undefined);
}

async function responseText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('the response is longer than 1 MiB');
  }
  return Buffer.concat(chunks).toString();
}
