import type { RequestListener } from 'node:http';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';

/**
 * The service's Fastify, apart from the sockets: every request, whatever its method and URL, goes
 * to one listener. Fastify has no routes here, since the fixture tree has them and can be swapped,
 * and no logger, since its own log lines hold the URL and with it the key.
 */
export async function createServiceApp(answer: RequestListener): Promise<RequestListener> {
  const take = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    answer(request.raw, reply.raw);
  };
  const app = fastify({
    exposeHeadRoutes: false,
    // A URL that Fastify cannot decode never reaches the hook below.
    frameworkErrors: (_error, request, reply) => take(request, reply),
    logger: false,
    return503OnClosing: false,
    routerOptions: { querystringParser: () => ({}) },
  });
  // Before Fastify reads the body: nothing about it can make the service answer something else.
  app.addHook('onRequest', (request, reply, _done) => take(request, reply));
  await app.ready();
  return app.routing;
}
