import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** The first byte of a TLS connection: a handshake record. */
const TLS_HANDSHAKE = 0x16;

/**
 * Looks at the first byte of each connection before TLS does, so that a client that speaks plain
 * HTTP can be told so in plain HTTP.
 *
 * @param silence how long a connection may stay silent before its first byte, in ms
 * @param plain gets the connections that do not begin with a TLS handshake
 */
export function divertPlainHttp(
  server: Server,
  silence: number,
  plain: (socket: Socket) => void,
): void {
  const startTls = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const giveUp = () => socket.destroy();
    socket.on('error', giveUp);
    socket.setTimeout(silence, giveUp);
    socket.once('readable', () => {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return giveUp();
      socket.setTimeout(0, giveUp);
      socket.removeListener('timeout', giveUp);
      socket.unshift(chunk);
      if (chunk[0] !== TLS_HANDSHAKE) return plain(socket);
      for (const start of startTls) start.call(server, socket);
    });
  });
}
