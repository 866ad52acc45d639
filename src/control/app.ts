import { type FastifyError, type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { describeBug, type Logger } from '../logger.ts';
import { certificateRoute } from './certificate.ts';
import { type Health, healthRoute } from './health.ts';
import { isExpectedHost } from './host-check.ts';

/** What the control API tells, and to whom. */
export interface ControlAppOptions {
  readonly health: () => Health;
  /** PEM to trust. */
  readonly certificate: () => string;
  /** Host names by which it may be addressed besides loopback, addresses and names without a dot. */
  readonly hosts: readonly string[];
  readonly logger: Logger;
}

const HOST_REFUSED =
  'Failed to answer: the Host header names a host that is not expected. Use localhost or an address, or add the name to MOMO_MOCK_TLS_HOSTS.';

/**
 * The control API, apart from the sockets. Fastify's own logger stays off, since its lines hold
 * URLs; no answer repeats anything of the request.
 */
export async function createControlApp(options: ControlAppOptions): Promise<FastifyInstance> {
  const { hosts, logger } = options;
  const routes: string[] = [];
  const notFound = (reply: FastifyReply): FastifyReply => {
    const text = `Failed to find anything at this path and method. There is: ${routes.join(', ')}.`;
    return refuse(reply, 404, 'MOMO_MOCK_NOT_FOUND', text);
  };

  const app = fastify({
    frameworkErrors: (_error, _request, reply) => notFound(reply),
    logger: false,
    return503OnClosing: false,
  });
  app.addHook('onRoute', ({ method, url }) => {
    if (method !== 'HEAD') routes.push(`${method} ${url}`);
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (isExpectedHost(request.headers.host, hosts)) return done();
    return refuse(reply, 403, 'MOMO_MOCK_HOST_REFUSED', HOST_REFUSED);
  });
  app.setNotFoundHandler((_request, reply) => notFound(reply));
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    if (error.statusCode !== undefined && error.statusCode < 500) {
      const text = 'Failed to read the request: it is not valid.';
      return refuse(reply, error.statusCode, 'MOMO_MOCK_BAD_REQUEST', text);
    }
    logger.error(describeBug(error), 'Failed to answer on the control API: a bug in momo-mock');
    return refuse(reply, 500, 'MOMO_MOCK_INTERNAL', 'Failed to answer: a bug in momo-mock.');
  });
  healthRoute(app, options.health);
  certificateRoute(app, options.certificate);
  await app.ready();
  return app;
}

function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).send({ error: { code, message } });
}
