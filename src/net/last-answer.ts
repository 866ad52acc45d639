import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** How long a connection that was told to close may go on sending, in ms. */
const LINGER = 1000;

/** The last answer that goes over a connection, whole, without what frames it. */
export interface LastAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/**
 * Sends an answer over a socket whose request could not be read as HTTP, and closes it. What the
 * client still sends is read and dropped for a moment: closing at once would reset the connection
 * and take the answer away from it.
 */
export function sendAndClose(socket: Socket, { status, headers, body }: LastAnswer): void {
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
