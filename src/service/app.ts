import { type IncomingMessage, METHODS } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyServerFactory, fastify } from 'fastify';
import { fastifyOptions } from '../fastify-options.ts';
import { routePath, routePattern } from '../mock/operation.ts';
import { nextTurn } from '../timers.ts';
import { type LifecycleOptions, RequestLifecycle } from './request-lifecycle.ts';
import { readTarget, type ServiceRequest } from './service-request.ts';

/** The parts of the service application. */
export interface ServiceAppOptions extends LifecycleOptions {
  /** Whether paths are case-sensitive and must not end with a slash. */
  readonly strictPaths: boolean;
  /** Returns the server that the application uses. */
  readonly serverFactory: FastifyServerFactory;
  readonly clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => void;
}

/** Node's limit for the request line and the headers, in bytes. No parameter can be longer. */
const LONGEST_PARAMETER = 16_384;
/** The number of routes to add before other requests get a turn. A reload must not block them. */
const ROUTES_PER_TURN = 50;
/** A path that no router can decode. */
const BAD_PATH = '/%';

/**
 * Makes the application that the code under test uses, with a route for each operation of a fixture
 * tree. Resolves when it is ready. It does not listen.
 */
export async function createServiceApp(options: ServiceAppOptions): Promise<FastifyInstance> {
  const { tree, strictPaths } = options;
  const lifecycle = new RequestLifecycle(options);
  const app = fastify({
    serverFactory: options.serverFactory,
    clientErrorHandler: options.clientErrorHandler,
    // Without a logger, which would cost each request two listeners.
    ...fastifyOptions(),
    routerOptions: {
      caseSensitive: strictPaths,
      ignoreTrailingSlash: !strictPaths,
      maxParamLength: LONGEST_PARAMETER,
    },
    rewriteUrl: routerPath,
    frameworkErrors: (_error, { raw }, reply) => {
      lifecycle.reject(lifecycle.begin(raw, reply.raw), 400, 'bad-url');
    },
    exposeHeadRoutes: false,
  });
  // The lifecycle receives the bodies, and nothing parses them.
  for (const method of METHODS)
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.decorateRequest('lifecycle');

  for (const [at, operation] of tree.operations.entries()) {
    app.route({
      // HEAD is answered like GET.
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      url: routePattern(operation.segments),
      handler: (request, reply) => {
        request.lifecycle = lifecycle.begin(request.raw, reply.raw, operation);
        lifecycle.serve(request.lifecycle);
      },
    });
    if (at % ROUTES_PER_TURN === ROUTES_PER_TURN - 1) await nextTurn();
  }
  const methods = [...new Set(tree.operations.map(({ method }) => method))];
  app.setNotFoundHandler((request, reply) => {
    request.lifecycle = lifecycle.begin(request.raw, reply.raw);
    lifecycle.serve(request.lifecycle, (unknown) => {
      const url = unknown.raw.url ?? '';
      const allowed = methods.filter((method) => app.findRoute({ method, url }) !== null);
      if (allowed.length === 0) return lifecycle.reject(unknown, 404, 'unknown-path');
      if (allowed.includes('GET')) allowed.push('HEAD');
      const allow = allowed.sort().join(', ');
      lifecycle.reject(unknown, 405, 'wrong-method', { allow });
    });
  });
  app.setErrorHandler((error, request) => lifecycle.fail(request.lifecycle, error));
  await app.ready();
  return app;
}

/**
 * The path by which the router finds an operation, with all characters percent-encoded that may be.
 * Fastify does not see the query, because it contains the key.
 */
function routerPath(request: IncomingMessage): string {
  const target = readTarget(request);
  return target === undefined ? BAD_PATH : (target.plainPath ?? routePath(target.segments));
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Its lifecycle, which answers it without Fastify. */
    lifecycle: ServiceRequest;
  }
}
