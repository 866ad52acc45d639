import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Answer } from '../mock/answer.ts';

/** All headers of an answer, with its length. */
export function headersOf(
  { status, headers, body }: Answer,
  more: OutgoingHttpHeaders,
): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = { ...(headers as OutgoingHttpHeaders), ...more };
  if (status !== 204 && status !== 304) all['content-length'] = body.length;
  return all;
}

/** An answer as Node sends it with the least work. */
interface Ready {
  readonly more: OutgoingHttpHeaders;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer;
}

/** The longest body that is kept as text, too, in bytes. */
const LONGEST_TEXT = 65_536;
const ready = new WeakMap<Answer, Ready>();

/** Sends an answer as the response to a request. For HEAD the body stays away. */
export function send(response: ServerResponse, answer: Answer, more: OutgoingHttpHeaders): void {
  let it = ready.get(answer);
  if (it === undefined || it.more !== more) {
    const { body } = answer;
    // Each byte is a character of latin1. Text goes out in one piece with the headers.
    const text = body.length > LONGEST_TEXT ? body : body.toString('latin1');
    it = { more, headers: headersOf(answer, more), body: text };
    ready.set(answer, it);
  }
  response.writeHead(answer.status, it.headers);
  response.end(it.body, 'latin1');
}
