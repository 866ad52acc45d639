import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { MockServer } from '../../src/server/mock-server.ts';

/** Sends bytes over TLS, as they are, and gives all that comes back until the other side closes. */
export function sendOverTls(
  mock: Pick<MockServer, 'port' | 'certificate'>,
  bytes: string,
): Promise<string> {
  const { port, certificate } = mock;
  return collect(connect({ port, host: 'localhost', ca: certificate.cert }), bytes);
}

/** The same without TLS. */
export function sendPlain(mock: Pick<MockServer, 'port'>, bytes: string): Promise<string> {
  return collect(connectPlain({ port: mock.port, host: '127.0.0.1' }), bytes);
}

function collect(socket: Socket, bytes: string): Promise<string> {
  return new Promise((done, fail) => {
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => done(text));
    socket.on('error', fail);
    socket.write(bytes, 'latin1');
  });
}

/** A connection over TLS, and all that it has received so far. */
export interface RawConnection extends TLSSocket {
  readonly received: () => string;
}

/** Connects over verified TLS. The connection is destroyed when the test is over. */
export async function openConnection(
  { url, ca }: { readonly url: string; readonly ca: string },
  options: ConnectionOptions = {},
): Promise<RawConnection> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ port: Number(port), host, ca, ...options });
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'secureConnect');
  return Object.assign(
    socket.on('error', () => {}),
    { received: () => text },
  );
}

/** The statuses of all received responses. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** What a connection may take at most, in ms. No test waits for it to pass. */
const HANG = 50_000;

/** How a client leaves once it has sent all: with a FIN, to see what comes back, or at once. */
export type Leave = 'fin' | 'destroy' | 'reset' | 'wait';

/**
 * Sends bytes, one chunk after the other, and gives all that comes back until the connection is
 * closed, in whatever way. Bytes are Latin-1, so that a failure can be read.
 *
 * @param raw the connection below `socket`, which may be the same
 */
export function talk(
  socket: Socket,
  raw: Socket,
  chunks: readonly string[],
  leave: Leave = 'fin',
): Promise<string> {
  return new Promise((done, fail) => {
    const received: Buffer[] = [];
    const text = () => Buffer.concat(received).toString('latin1');
    const timer = setTimeout(() => {
      raw.destroy();
      fail(new Error(`The connection hangs. Sent: ${JSON.stringify(chunks)}; got: ${text()}`));
    }, HANG);
    const end = () => {
      clearTimeout(timer);
      done(text());
    };
    if (raw.destroyed) return end();
    raw.once('close', end);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    // What cannot be written any more is over, too.
    socket.once('end', () => socket.end());
    const next = (at: number): void => {
      const chunk = chunks[at];
      if (chunk !== undefined) socket.write(Buffer.from(chunk, 'latin1'), () => next(at + 1));
      else if (leave === 'fin') socket.end();
      else if (leave === 'reset') raw.resetAndDestroy();
      else if (leave === 'destroy') raw.destroy();
    };
    next(0);
  });
}

/** Opens a TCP connection that may be half-closed. */
export function openTcp(url: string | null): Socket {
  const port = Number(new URL(`${url}`).port);
  return connectPlain({ port, host: '127.0.0.1', allowHalfOpen: true });
}

/** Sends bytes to the service over TLS, half-closes immediately, and gives all that comes back. */
export async function talkTo(
  { url, ca }: { readonly url: string; readonly ca: string },
  ...chunks: readonly string[]
): Promise<string> {
  const raw = openTcp(url);
  return await talk(connect({ socket: raw, ca, servername: 'localhost' }), raw, chunks);
}

/** The same to the control API, which has no TLS. */
export async function talkToControl(
  { controlUrl }: { readonly controlUrl: string | null },
  ...chunks: readonly string[]
): Promise<string> {
  const raw = openTcp(controlUrl);
  return await talk(raw, raw, chunks);
}
