import { type IncomingMessage, METHODS } from 'node:http';
import type { Socket } from 'node:net';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyServerFactory,
  fastify,
} from 'fastify';
import { fastifyOptions } from '../fastify-options.ts';
import { type Logger, logBug } from '../logger.ts';
import { errorAnswer } from '../mock/answer.ts';
import type { Mock } from '../mock/mock.ts';
import { type FixtureTree, routePath } from '../mock/operation.ts';
import { HandlerRunner } from './handler-runner.ts';
import { apiKeyPlugin } from './plugins/api-key.ts';
import { type CorsOrigin, corsHeaders, corsPlugin } from './plugins/cors.ts';
import { beginLifecycle, journalPlugin, readTarget } from './plugins/journal.ts';
import { operationsPlugin } from './plugins/operations.ts';
import { requestBodyPlugin } from './plugins/request-body.ts';
import { type ReplySockets, Responder } from './reply.ts';

/** The functions of the server that the application needs for its sockets. */
export interface ServiceSockets extends ReplySockets {
  /** The TLS mode when a connection was made. */
  tlsMode(socket: Socket): string;
}

/** The parts of the service application. */
export interface ServiceAppOptions {
  readonly mock: Mock;
  /** The fixture tree that the application serves. */
  readonly tree: FixtureTree;
  /** Whether paths are case-sensitive and must not end with a slash. */
  readonly strictPaths: boolean;
  readonly corsOrigin: CorsOrigin;
  /** How long the body of a request may take to arrive, in ms. */
  readonly clientTimeout: number;
  readonly logger: Logger;
  readonly sockets: ServiceSockets;
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
  const { mock, tree, strictPaths, corsOrigin, clientTimeout, logger, sockets } = options;
  const { errors } = tree;
  const handlers = new HandlerRunner({ mock, tree, timeout: clientTimeout, logger });
  const responder = new Responder({
    errors,
    handlers,
    sockets,
    headersFor: (request) => corsHeaders(corsOrigin, request),
  });
  const lifecycles = {
    journal: mock.journal,
    logger,
    tlsMode: (socket: Socket) => sockets.tlsMode(socket),
    loggablePath: (segments: readonly string[]) => mock.loggablePath(segments),
  };

  const app = fastify({
    serverFactory: options.serverFactory,
    clientErrorHandler: options.clientErrorHandler,
    ...fastifyOptions(logger),
    routerOptions: {
      caseSensitive: strictPaths,
      ignoreTrailingSlash: !strictPaths,
      maxParamLength: LONGEST_PARAMETER,
    },
    rewriteUrl: routerPath,
    // No hook runs for a URL that cannot be decoded.
    frameworkErrors: (_error, request, reply) => {
      beginLifecycle(request, reply, lifecycles);
      responder.reject(reply, 400, 'bad-url');
    },
    exposeHeadRoutes: false,
  });
  // A plugin receives the bodies, and nothing parses them.
  for (const method of METHODS)
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });

  app.register(journalPlugin, lifecycles);
  app.register(corsPlugin, { origin: corsOrigin });
  app.register(requestBodyPlugin, {
    responder,
    clientTimeout,
    longestBody: (operation) => handlers.longestBody(operation),
  });
  app.register(apiKeyPlugin, { mock, errors, responder });

  for (let at = 0; at < tree.operations.length; at += ROUTES_PER_TURN) {
    const operations = tree.operations.slice(at, at + ROUTES_PER_TURN);
    app.register(operationsPlugin, { operations, mock, errors, responder, handlers });
  }
  const methods = [...new Set(tree.operations.map(({ method }) => method))];
  app.setNotFoundHandler((request, reply) => {
    const url = request.raw.url ?? '';
    const allowed = methods.filter((method) => app.findRoute({ method, url }) !== null);
    if (allowed.length === 0) return responder.reject(reply, 404, 'unknown-path');
    if (allowed.includes('GET')) allowed.push('HEAD');
    responder.reject(reply, 405, 'wrong-method', { allow: allowed.sort().join(', ') });
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    logBug(logger, error, 'Failed to answer a request: a bug in momo-mock');
    const answer = errorAnswer(errors, 500);
    request.lifecycle.failed();
    responder.send(reply, answer);
  });
  await app.ready();
  return app;
}

/**
 * The path by which the router finds an operation, with all characters percent-encoded that may be.
 * Fastify does not see the query, because it contains the key.
 */
function routerPath(request: IncomingMessage): string {
  const target = readTarget(request);
  return target === undefined ? BAD_PATH : routePath(target.segments);
}
