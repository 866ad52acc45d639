import { connect as connectPlain, type Socket } from 'node:net';
import { connect } from 'node:tls';
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
