import type { IncomingMessage, RequestListener } from 'node:http';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Double, Outcome } from '../core/double.ts';
import { describeBug, type Logger, logExchange } from '../logger.ts';
import type { Cors } from './cors.ts';
import { send } from './send.ts';

/** What the service is made of. */
export interface ServiceOptions {
  readonly double: Double;
  readonly cors: Cors;
  readonly logger: Logger;
}

/**
 * The service, apart from the sockets: every request, whatever its method and URL, goes to the
 * double. Fastify has no routes here, since the fixture tree has them and can be swapped, and no
 * logger, since its own log lines hold the URL and with it the key.
 */
export async function createServiceApp(options: ServiceOptions): Promise<RequestListener> {
  const { double, cors, logger } = options;

  const decide = ({ method = '', url = '', headers, httpVersion }: IncomingMessage): Outcome => {
    // Stated in HTTP itself: a request of HTTP/1.1 has a host header.
    if (headers.host === undefined && httpVersion === '1.1') {
      return double.refuse('bad-request', 400);
    }
    try {
      return double.answer({ method, target: url, headers });
    } catch (error) {
      logger.error(describeBug(error), 'Failed to answer a request: a bug in momo-mock');
      return { answer: double.error(500) };
    }
  };

  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    const { raw: incoming } = request;
    const { raw: outgoing } = reply;
    const began = performance.now();
    const { method = '', headers } = incoming;
    const preflight = cors.preflight(method, headers);
    if (preflight !== undefined) {
      outgoing.writeHead(204, preflight).end();
      return;
    }
    const outcome = decide(incoming);
    outgoing.once('close', () => {
      const { answer: sent, account, ...rest } = outcome;
      logExchange(logger, {
        ...(account && { account: account.id }),
        method,
        ...rest,
        status: sent.status,
        duration: Math.round((performance.now() - began) * 10) / 10,
        ...(!outgoing.writableFinished && { aborted: true }),
      });
    });
    if (outcome.reason === 'bad-request') outgoing.setHeader('connection', 'close');
    send(outgoing, outcome.answer, cors.headers(headers));
  };

  const app = fastify({
    exposeHeadRoutes: false,
    // A URL that Fastify cannot decode never reaches the hook below.
    frameworkErrors: (_error, request, reply) => answer(request, reply),
    logger: false,
    return503OnClosing: false,
    routerOptions: { querystringParser: () => ({}) },
  });
  // Before the body is read: nothing about a body can make the service answer something else.
  app.addHook('onRequest', (request, reply, _done) => answer(request, reply));
  await app.ready();
  return app.routing;
}
