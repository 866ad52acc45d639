import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer } from '../core/answer.ts';

/** How long a connection that was told to close may go on sending, in ms. */
const LINGER = 1000;

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

/**
 * Sends an answer over a socket whose request could not be read as HTTP, and closes it. What the
 * client still sends is read and dropped for a moment: closing at once would reset the connection
 * and take the answer away from it.
 */
export function sendAndClose(socket: Socket, { status, headers, body }: Answer): void {
  if (socket.destroyed || socket.writableEnded) return;
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value].flat()) lines.push(`${name}: ${one}`);
  }
  lines.push(`content-length: ${body.length}`, `date: ${new Date().toUTCString()}`);
  lines.push('connection: close', '', '');
  socket.on('error', () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body]));
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(timer));
}
