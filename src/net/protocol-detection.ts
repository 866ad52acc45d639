import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** The first byte of a TLS connection. */
const TLS_HANDSHAKE = 0x16;

/**
 * Reads the first byte of each connection before TLS does, so that a plain HTTP client gets a plain
 * HTTP response.
 *
 * @param timeout how long a connection may send nothing, in ms
 * @param onPlain receives the connections that do not begin with a TLS handshake
 * @param onTls receives the others, right before their certificate is chosen
 */
export function detectProtocol(
  server: Server,
  timeout: number,
  onPlain: (socket: Socket) => void,
  onTls: (socket: Socket) => void,
): void {
  const startTls = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const giveUp = () => socket.destroy();
    socket.on('error', giveUp);
    socket.setTimeout(timeout, giveUp);
    socket.once('readable', () => {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return giveUp();
      socket.setTimeout(0, giveUp);
      socket.unshift(chunk);
      if (chunk[0] !== TLS_HANDSHAKE) return onPlain(socket);
      onTls(socket);
      for (const start of startTls) start.call(server, socket);
    });
  });
}
