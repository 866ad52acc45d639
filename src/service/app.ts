import { METHODS } from 'node:http';
import { type FastifyInstance, fastify } from 'fastify';
import type { Mock } from '../mock/mock.ts';
import { routePath, routePattern } from '../mock/operations/operation.ts';
import type { MomoOperation } from '../mock/operations/operation-name.ts';
import { parseTarget } from '../mock/requests/request-target.ts';
import { fastifyOptions } from '../net/fastify-options.ts';
import { type RoutedMessage, receivedHeaders, type Service, ServiceRequest } from './request.ts';
import { serve } from './serve.ts';

export interface ServiceAppOptions extends Omit<Service, 'headersCache' | 'methodsAt'> {
  /** Whether paths are case-sensitive and must not end with a slash. */
  readonly strictPaths: boolean;
}

/** Node's limit for the request line and the headers, in bytes. No parameter can be longer. */
const MAX_PARAMETER_LENGTH = 16_384;

/** Creates the application that the code under test talks to, with a route for each operation. */
export async function createServiceApp(options: ServiceAppOptions): Promise<FastifyInstance> {
  const { mock, tree, strictPaths } = options;
  const methods = [...new Set(tree.operations.map(({ method }) => method))];
  const methodsAt = (request: RoutedMessage) => {
    const { url = '' } = request;
    const constraints = { handled: handledFor(mock, request) };
    return methods.filter((method) => app.findRoute({ method, url, constraints }) !== null);
  };
  const service: Service = { ...options, headersCache: new WeakMap(), methodsAt };
  const app = fastify({
    // No logger, because it would cost each request two listeners.
    ...fastifyOptions(),
    routerOptions: {
      caseSensitive: strictPaths,
      ignoreTrailingSlash: !strictPaths,
      maxParamLength: MAX_PARAMETER_LENGTH,
    },
    rewriteUrl: routerPath,
    exposeHeadRoutes: false,
  });
  app.addConstraintStrategy(handledStrategy(mock));
  // `serve` receives the bodies, and nothing parses them.
  for (const method of METHODS)
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  for (const operation of tree.operations) {
    app.route({
      // HEAD gets the response of GET, without its body.
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      url: routePattern(operation.segments),
      ...(operation.isAdded && { constraints: { handled: operation.name } }),
      handler: ({ raw }, { raw: response }) => {
        void serve(new ServiceRequest(raw, response, service, operation));
      },
    });
  }
  app.setNotFoundHandler(({ raw }, { raw: response }) => {
    void serve(new ServiceRequest(raw, response, service));
  });
  await app.ready();
  return app;
}

/** Whether the account of a request has a handler for an operation. */
type IsHandled = (name: MomoOperation) => boolean;

function handledFor(mock: Mock, request: RoutedMessage): IsHandled {
  const { key } = mock.credentials(request.target?.query ?? [], receivedHeaders(request));
  return (name) => mock.handlerOf({ name }, key) !== undefined;
}

/**
 * Hides the operations that tests added from accounts without a handler for them: the router goes on
 * as if their routes did not exist.
 */
function handledStrategy(mock: Mock) {
  return {
    name: 'handled',
    storage: () => {
      const routes = new Map<unknown, FoundRoute>();
      return {
        set: (name: unknown, route: FoundRoute) => void routes.set(name, route),
        /** @param wanted the name of a route's operation, or what is derived from a request */
        get: (wanted: unknown) => {
          if (typeof wanted !== 'function') return routes.get(wanted) ?? null;
          return [...routes].find(([name]) => wanted(name))?.[1] ?? null;
        },
      };
    },
    deriveConstraint: (request: RoutedMessage): unknown => handledFor(mock, request),
  };
}

/** What the router stores for a route, which only it reads. */
// biome-ignore lint/suspicious/noExplicitAny: its type is not exported
type FoundRoute = any;

/** The path for the router, fully percent-encoded. It excludes the query, which contains the key. */
function routerPath(request: RoutedMessage): string {
  const target = parseTarget(request.url ?? '');
  request.target = target;
  // An invalid target is rejected, whatever the router finds.
  if (target === undefined) return '/';
  return target.plainPath ?? routePath(target.segments);
}
