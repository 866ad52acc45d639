import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { clearTimeout, setTimeout, timeOfDay } from '../timers.ts';

/** How long a client may go on sending after the last response on its connection, in ms. */
const LINGER = 1000;

/** A whole response for a request that never reached an application. */
export interface RawResponse {
  readonly status: number;
  /** Without the headers that frame a message. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/**
 * Writes a response to a socket whose request could not be read as HTTP, and closes the connection.
 * What the client still sends is read and dropped for a moment: to close while data is unread would
 * reset the connection, and the client would not get the response.
 */
export function sendAndClose(socket: Socket, { status, headers, body }: RawResponse): void {
  if (socket.destroyed || socket.writableEnded) return;
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value].flat()) lines.push(`${name}: ${one}`);
  }
  lines.push(`content-length: ${body.length}`, `date: ${new Date(timeOfDay()).toUTCString()}`);
  lines.push('connection: close', '', '');
  socket.on('error', () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body]));
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(timer));
}
