import type { IncomingMessage, RequestListener } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bareFastify } from '../bare-fastify.ts';

/** What answers a request; there for the time that Fastify has it. */
const answerOf = new WeakMap<IncomingMessage, RequestListener>();
let app: Promise<RequestListener> | undefined;

/**
 * The service's Fastify, apart from the sockets: every request, whatever its method and URL, goes
 * to one listener. Fastify has no routes here, since the fixture tree has them and can be swapped,
 * and no logger, since its own log lines hold the URL and with it the key.
 */
export async function createServiceApp(answer: RequestListener): Promise<RequestListener> {
  app ??= createApp();
  const take = await app;
  return (request, response) => {
    answerOf.set(request, answer);
    take(request, response);
  };
}

/** Made once in a process for all doubles in it: it has no state. */
async function createApp(): Promise<RequestListener> {
  const take = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    answerOf.get(raw)?.(raw, reply.raw);
  };
  const fastify = bareFastify({
    exposeHeadRoutes: false,
    // A URL that Fastify cannot decode never reaches the hook below.
    frameworkErrors: (_error, request, reply) => take(request, reply),
    return503OnClosing: false,
    routerOptions: { querystringParser: () => ({}) },
  });
  // Before Fastify reads the body: nothing about it can make the service answer something else.
  fastify.addHook('onRequest', (request, reply, _done) => take(request, reply));
  await fastify.ready();
  return fastify.routing;
}
