import { METHODS } from 'node:http';
import { type FastifyInstance, fastify, type RouteHandlerMethod } from 'fastify';
import type { Mock } from '../mock/mock.ts';
import {
  methodsOf,
  type Operation,
  routePath,
  routePattern,
  routerOptions,
} from '../mock/operations/operation.ts';
import { parseTarget } from '../mock/requests/request-target.ts';
import { fastifyOptions } from '../net/fastify-options.ts';
import { operationOf } from './handled-operation.ts';
import { type RoutedMessage, receivedHeaders, type Service, ServiceRequest } from './request.ts';
import { serve } from './serve.ts';

/** Creates the application that the code under test talks to, with a route for each operation. */
export async function createServiceApp(
  options: Omit<Service, 'headersCache' | 'methodsAt'>,
): Promise<FastifyInstance> {
  const { mock, tree } = options;
  const methodsAt = (request: RoutedMessage) => {
    const { url = '' } = request;
    return METHODS.filter(
      (method) =>
        app.findRoute({ method, url }) !== null || handledAt(mock, request, method).length > 0,
    );
  };
  const service: Service = { ...options, headersCache: new WeakMap(), methodsAt };
  const app = fastify({
    // No logger, because it would cost each request two listeners.
    ...fastifyOptions(),
    routerOptions: routerOptions(tree),
    rewriteUrl: routerPath,
    exposeHeadRoutes: false,
  });
  const handlerOf =
    (operation?: Operation): RouteHandlerMethod =>
    ({ raw }, { raw: response }) => {
      const routed = operationOf(handledAt(mock, raw), operation);
      void serve(new ServiceRequest(raw, response, service, routed));
    };
  // `serve` receives the bodies, and nothing parses them.
  for (const method of METHODS)
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  for (const operation of tree.operations) {
    const url = routePattern(operation.segments);
    app.route({ method: methodsOf(operation), url, handler: handlerOf(operation) });
  }
  app.setNotFoundHandler(handlerOf());
  await app.ready();
  return app;
}

/** What tests handle at the path of a request. */
function handledAt(
  mock: Mock,
  request: RoutedMessage,
  method = request.method ?? '',
): readonly Operation[] {
  // Most tests handle nothing, and need not read who sends the request.
  if (mock.handled.size === 0) return [];
  const { target, url = '' } = request;
  const { key } = mock.credentials(target?.query ?? [], receivedHeaders(request));
  return mock.handledAt(method, url, key);
}

/** The path for the router, fully percent-encoded. It excludes the query, which contains the key. */
function routerPath(request: RoutedMessage): string {
  const target = parseTarget(request.url ?? '');
  request.target = target;
  // An invalid target is rejected, whatever the router finds.
  if (target === undefined) return '/';
  return target.isPlain ? target.path : routePath(target.segments);
}
