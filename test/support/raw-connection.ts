import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { MockServer } from '../../src/server.ts';

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

/** The statuses of all answers in what was received. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
