import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Answer } from '../core/answer.ts';

/** All headers of an answer, with its length. */
export function headersOf(
  { status, headers, body }: Answer,
  more: OutgoingHttpHeaders,
): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = { ...(headers as OutgoingHttpHeaders), ...more };
  if (status !== 204 && status !== 304) all['content-length'] = body.length;
  return all;
}

/** Sends an answer as the response to a request. For HEAD the body stays away. */
export function send(response: ServerResponse, answer: Answer, more: OutgoingHttpHeaders): void {
  response.writeHead(answer.status, headersOf(answer, more));
  response.end(answer.body);
}
