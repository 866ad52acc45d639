import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';

/** The origins whose pages may read responses: all, none, or those in the list. */
export type CorsOrigin = '*' | 'off' | readonly string[];

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const EVERYONE: OutgoingHttpHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
};

/**
 * Answers preflight requests, so that a browser page can be a client. They need no key. Any other
 * OPTIONS request is handled like all requests. Assumed: the contract does not say whether the
 * service supports CORS.
 */
export const corsPlugin = fastifyPlugin<{ origin: CorsOrigin }>((app, { origin }, done) => {
  app.addHook('onRequest', (request, reply, next) => {
    if (origin === 'off' || !isPreflight(request)) return next();
    const headers = corsHeaders(origin, request);
    const asked = request.headers['access-control-request-headers'];
    request.lifecycle.decided({
      answer: { status: 204, headers: {}, body: Buffer.alloc(0) },
      source: 'preflight',
    });
    request.lifecycle.sending(204);
    reply.code(204).headers(headers);
    if (headers['access-control-allow-origin'] !== undefined) {
      reply.header('access-control-allow-methods', METHODS);
      reply.header('access-control-allow-headers', asked ?? '*');
    }
    reply.send();
  });
  done();
});

/** The headers that allow a page in a browser to read the response. */
export function corsHeaders(allowed: CorsOrigin, { headers }: FastifyRequest): OutgoingHttpHeaders {
  if (allowed === 'off') return {};
  if (allowed === '*') return EVERYONE;
  const { origin } = headers;
  if (origin === undefined || !allowed.includes(origin)) return { vary: 'Origin' };
  return { ...EVERYONE, 'access-control-allow-origin': origin, vary: 'Origin' };
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}
