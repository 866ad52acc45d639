import { METHODS } from 'node:http';
import { type FastifyInstance, fastify } from 'fastify';
import { routePath, routePattern } from '../mock/operations/operation.ts';
import { parseTarget } from '../mock/requests/request-target.ts';
import { fastifyOptions } from '../net/fastify-options.ts';
import { type RoutedMessage, type Service, ServiceRequest } from './request.ts';
import { serve } from './serve.ts';

export interface ServiceAppOptions extends Omit<Service, 'headersCache' | 'methodsAt'> {
  /** Whether paths are case-sensitive and must not end with a slash. */
  readonly strictPaths: boolean;
}

/** Node's limit for the request line and the headers, in bytes. No parameter can be longer. */
const MAX_PARAMETER_LENGTH = 16_384;

/** Creates the application that the code under test talks to, with a route for each operation. */
export async function createServiceApp(options: ServiceAppOptions): Promise<FastifyInstance> {
  const { tree, strictPaths } = options;
  const methods = [...new Set(tree.operations.map(({ method }) => method))];
  const methodsAt = (url: string) =>
    methods.filter((method) => app.findRoute({ method, url }) !== null);
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
  // `serve` receives the bodies, and nothing parses them.
  for (const method of METHODS)
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  for (const operation of tree.operations) {
    app.route({
      // HEAD gets the response of GET, without its body.
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      url: routePattern(operation.segments),
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

/** The path for the router, fully percent-encoded. It excludes the query, which contains the key. */
function routerPath(request: RoutedMessage): string {
  const target = parseTarget(request.url ?? '');
  request.target = target;
  // An invalid target is rejected, whatever the router finds.
  if (target === undefined) return '/';
  return target.plainPath ?? routePath(target.segments);
}
