import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify';
import fp from 'fastify-plugin';
import { MomoMockError } from '../../errors.ts';
import { type Logger, logBug } from '../../logger.ts';
import { tooLarge } from '../../mock/given-body.ts';
import {
  type ControlCode,
  ControlError,
  clientError,
  INTERNAL,
  STATUSES,
} from '../control-error.ts';

const CONTENT_TYPE = new ControlError(
  'MOMO_MOCK_CONTENT_TYPE',
  'Failed to read the body: its content type is not JSON. Send the header content-type: application/json.',
);

/** A described route. */
interface Route {
  readonly method: string;
  readonly path: string;
}

/** Answers errors and requests without a route. It knows the routes that are added after it. */
export const errorResponse = fp<{ readonly logger: Logger }>(async (app, { logger }) => {
  const routes: Route[] = [];
  app.decorate('routes', routes);
  app.addHook('onRoute', ({ method, path, schema }) => {
    if (schema?.hide !== true) routes.push({ method: `${method}`, path: shownPath(path) });
  });
  app.setErrorHandler((error, request, reply) => {
    const known = toControlError(error, request.routeOptions.bodyLimit);
    if (known === INTERNAL) {
      logBug(logger, error, 'Failed to answer on the control API: a bug in momo-mock');
    }
    const isLate = Object(error).code === 'ERR_HTTP_REQUEST_TIMEOUT';
    return isLate ? sendError(reply, clientError(408), 408) : sendError(reply, known);
  });
  app.setNotFoundHandler(({ url }, reply) => sendError(reply, noRoute(app, url)));
});

/**
 * Sends an error response.
 *
 * @param status @default the status of the error's code
 */
export function sendError(
  reply: FastifyReply,
  { code, message, headers }: ControlError,
  status: number = STATUSES[code],
): FastifyReply {
  return reply.code(status).headers(headers).send({ error: { code, message } });
}

/** The path of a route as users see it. A wildcard is a name, which may contain slashes. */
export function shownPath(path: string): string {
  return path.replace('*', ':name').replace(/:(\w+)/g, '{$1}');
}

/** The error for a method and URL without a route. */
export function noRoute(app: FastifyInstance, url: string): ControlError {
  const routes = app.getDecorator<readonly Route[]>('routes');
  const asked = url.replace(/[?#].*$/s, '');
  const methods = [...new Set(routes.map(({ method }) => method))] as HTTPMethods[];
  const same = methods.filter((method) => app.findRoute({ method, url: asked }) !== null);
  if (same.length > 0) {
    const allow = same.join(', ');
    const text = `Failed to answer: this path does not support the method. Use one of ${allow}.`;
    return new ControlError('MOMO_MOCK_METHOD', text, { allow });
  }
  const main = routes.filter(({ method }) => method !== 'HEAD');
  const all = main.map(({ method, path }) => `${method} ${path}`).join(', ');
  const text = `Failed to answer: no route has this path. Use one of: ${all}.`;
  return new ControlError('MOMO_MOCK_NOT_FOUND', text);
}

function toControlError(error: unknown, bodyLimit?: number): ControlError {
  if (error instanceof ControlError) return error;
  if (error instanceof MomoMockError && error.code in STATUSES) {
    return new ControlError(error.code as ControlCode, error.message);
  }
  const { statusCode = 500 } = Object(error) as { statusCode?: number };
  if (statusCode === 413) return toControlError(tooLarge(bodyLimit));
  if (statusCode === 415) return CONTENT_TYPE;
  return statusCode < 500 ? clientError(400) : INTERNAL;
}
