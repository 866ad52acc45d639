import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { clearTimeout, setTimeout, timeOfDay } from '../timers.ts';

/** How long to read further input after the last response of a connection, in ms. */
const LINGER = 1000;

/** A response to input that did not reach an application. */
export interface RawResponse {
  readonly status: number;
  /** The headers, without `content-length`, `date` and `connection`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/**
 * Writes a response to a socket whose input is not valid HTTP, and closes the connection. Further
 * input is read and dropped for `LINGER` ms, because unread input would reset the connection.
 */
export function sendAndClose(socket: Socket, { status, headers, body }: RawResponse): void {
  if (socket.destroyed || socket.writableEnded) return;
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (const [name, value] of Object.entries(headers)) {
    for (const text of [value].flat()) lines.push(`${name}: ${text}`);
  }
  lines.push(`content-length: ${body.length}`, `date: ${new Date(timeOfDay()).toUTCString()}`);
  lines.push('connection: close', '', '');
  socket.on('error', () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body]));
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.once('close', () => clearTimeout(timer));
}
