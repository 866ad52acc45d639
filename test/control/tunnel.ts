import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { RunningMock } from '../support/running-mock.ts';

/** A socket to the control API of a mock. */
export function openControl({ controlUrl }: Pick<RunningMock, 'controlUrl'>): Socket {
  const port = Number(new URL(controlUrl ?? '').port);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** All that the control API answers to some bytes, until it closes. */
export async function askProxy(mock: RunningMock, ...lines: string[]): Promise<string> {
  const socket = openControl(mock);
  socket.write(`${[...lines, '', ''].join('\r\n')}`);
  return await text(socket);
}

/** What a socket gets until it has an end of headers in it. */
export async function head(socket: Socket): Promise<string> {
  let read = '';
  while (!read.endsWith('\r\n\r\n')) {
    const byte: Buffer | null = socket.read(1);
    if (byte !== null) read += byte.toString('latin1');
    else
      await new Promise<void>((done) => {
        for (const event of ['readable', 'close', 'error']) socket.once(event, () => done());
      });
    if (byte === null && socket.destroyed) throw new Error(`closed after: ${read}`);
  }
  return read;
}

/** A tunnel through the proxy, and the answer by which it was opened. */
export async function openTunnel(
  mock: RunningMock,
  authority: string,
  headers: readonly string[] = [],
): Promise<{ socket: Socket; answer: string }> {
  const socket = openControl(mock);
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`, ...headers, '', ''];
  socket.write(lines.join('\r\n'));
  return { socket, answer: await head(socket) };
}

/** TLS through a tunnel, verified for a name. */
export async function openTls(mock: RunningMock, name: string, port = 443): Promise<TLSSocket> {
  const { socket, answer } = await openTunnel(mock, `${name}:${port}`);
  if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(answer);
  const secure = connectTls({ socket, servername: name, ca: mock.ca });
  await new Promise((done, fail) => {
    secure.once('secureConnect', done);
    secure.once('error', fail);
  });
  return secure;
}

/** A request for the balance, after which the connection is kept or closed. */
export function balance(connection = 'close'): string {
  return `GET /momo/balance?apikey=good HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`;
}
