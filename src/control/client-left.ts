import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * A signal that is aborted when the client of a request has left. A client that ends its side of the
 * connection has most likely left, too: it waits for no response that takes long.
 */
export function clientLeft({ raw, signal }: FastifyRequest, reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  const leave = () => left.abort();
  raw.socket.once('end', leave);
  reply.raw.once('close', () => raw.socket.off('end', leave));
  if (raw.socket.readableEnded) leave();
  return AbortSignal.any([signal, left.signal]);
}
