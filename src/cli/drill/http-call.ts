import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ExactNumber, writeJson } from '../../mock/json/exact-json.ts';
import type { HttpCall } from './config.ts';
import { type Facts, fillIn, fillInAll, fillInUrl, replaceTexts } from './template.ts';

/** The maximum length of a response, in bytes: 1 MiB. */
const MAX_RESPONSE_BYTES = 1_048_576;

/**
 * Each call uses a new connection, because the application could close an idle one.
 *
 * @throws Error with the reason, such as `ECONNREFUSED`
 */
export async function sendCall(
  call: HttpCall & { readonly method: string },
  facts: Facts,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const url = fillInUrl(call.url, facts);
  const timeout = AbortSignal.timeout(limit);
  const given = fillInAll(call.headers ?? {}, facts);
  const hasType = Object.keys(given).find((name) => name.toLowerCase() === 'content-type');
  const body = bodyOf(call.body, facts, given[hasType ?? '']);
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
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, text: await textOf(response) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = timeout.aborted ? `no response in ${limit / 1000} s` : (code ?? message);
    throw new Error(why, { cause: error });
  }
}

function bodyOf(body: unknown, facts: Facts, type = ''): string | undefined {
  if (body === undefined) return undefined;
  if (typeof body !== 'string') {
    const { amount = '' } = facts;
    const fill = (text: string) =>
      text === '{amount}' ? new ExactNumber(amount) : fillIn(text, facts);
    return writeJson(replaceTexts(body, fill));
  }
  const isForm = type.includes('x-www-form-urlencoded');
  return fillIn(body, facts, isForm ? encodeURIComponent : undefined);
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('the response is longer than 1 MiB');
  }
  return Buffer.concat(chunks).toString();
}
