import { type FastifyError, type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import type { Logger } from '../logger.ts';
import type { Controller } from '../mock/controller.ts';
import { accountsRoutes } from './accounts.ts';
import { balanceRoutes } from './balance.ts';
import { acceptJson, LONGEST_BODY } from './body.ts';
import { certificateRoute } from './certificate.ts';
import { answerFailure } from './failure.ts';
import { createGate, type GateOptions } from './gate.ts';
import { type Health, healthRoute } from './health.ts';
import { describeApi, openApiRoute } from './openapi.ts';
import { refuse } from './refusal.ts';
import { requestsRoutes } from './requests.ts';
import { resetRoute } from './reset.ts';
import { responsesRoutes } from './responses.ts';
import { RouteTable } from './route-table.ts';
import { type ControlledTls, tlsRoutes } from './tls.ts';

/** What the control API tells and can be told, and by whom. */
export interface ControlAppOptions extends GateOptions {
  readonly health: () => Health;
  /** PEM to trust. */
  readonly certificate: () => string;
  readonly controller: Controller;
  readonly tls: ControlledTls;
  /** Brings an account back to the start, or without one all, TLS too. */
  readonly reset: (key: string | undefined) => Promise<void>;
  readonly logger: Logger;
}

/**
 * The control API, apart from the sockets. Fastify's own logger stays off, since its lines hold
 * URLs; no answer repeats anything of the request. The schemas of the routes describe and do not
 * check: what may be is decided by the {@link Controller} alone.
 */
export async function createControlApp(options: ControlAppOptions): Promise<FastifyInstance> {
  const { logger } = options;
  const gate = createGate(options);
  const table = new RouteTable();
  const answerUnknown = (url: string, reply: FastifyReply): FastifyReply => {
    const allowed = table.allowed(url);
    if (allowed.length > 0) reply.header('allow', allowed.join(', '));
    return refuse(reply, table.refuse(url));
  };

  const app = fastify({
    bodyLimit: LONGEST_BODY,
    // A URL that cannot be decoded passes no hook.
    frameworkErrors: (_error, request, reply) => {
      const refused = gate(request.headers);
      return refused ? refuse(reply, refused) : answerUnknown('', reply);
    },
    logger: false,
    return503OnClosing: false,
  });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  acceptJson(app);
  app.addHook('onRoute', (route) => table.add(route));
  app.addHook('onRequest', (request, reply, done) => {
    const refused = gate(request.headers);
    return refused ? refuse(reply, refused) : done();
  });
  app.setNotFoundHandler((request, reply) => answerUnknown(request.url, reply));
  app.setErrorHandler((error: FastifyError, _request, reply) =>
    answerFailure(error, reply, logger),
  );
  addRoutes(app, options);
  await app.ready();
  return app;
}

function addRoutes(app: FastifyInstance, options: ControlAppOptions): void {
  const { controller, tls } = options;
  healthRoute(app, options.health);
  certificateRoute(app, options.certificate);
  balanceRoutes(app, controller);
  responsesRoutes(app, controller);
  requestsRoutes(app, controller);
  accountsRoutes(app, controller);
  tlsRoutes(app, tls);
  resetRoute(app, options.reset);
  openApiRoute(app, () =>
    describeApi({
      version: options.health().version,
      hasToken: options.token !== undefined,
      addRoutes: (described) => addRoutes(described, options),
    }),
  );
}
