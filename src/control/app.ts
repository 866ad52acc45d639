import { Readable } from 'node:stream';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { invalid, MomoMockError } from '../errors.ts';
import { logBug } from '../log/logger.ts';
import { closestName } from '../mock/closest-name.ts';
import { writeJson } from '../mock/json/exact-json.ts';
import { MAX_GIVEN_BYTES } from '../mock/limits.ts';
import type { Mock } from '../mock/mock.ts';
import { isKeyName } from '../mock/redaction/secret-names.ts';
import { tooLarge } from '../mock/responses/given-body.ts';
import { NotVerifiedError } from '../mock/verify/verify.ts';
import { fastifyOptions } from '../net/fastify-options.ts';
import { createAccessCheck } from './access.ts';
import { type ControlCode, ControlError, clientError, STATUSES } from './control-error.ts';
import { perform } from './perform.ts';
import {
  type ControlledServer,
  type ControlOptions,
  documented,
  Reply,
  type Route,
} from './route.ts';
import { ROUTES } from './routes.ts';

/** It is this long because names of operations and of values are parameters. */
const MAX_PARAMETER_LENGTH = 16_384;
const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'] as const;
const NO_BODY = Buffer.alloc(0);

export async function createControlApp(options: ControlOptions): Promise<FastifyInstance> {
  const { server, logger } = options;
  const checkAccess = createAccessCheck(options);
  const app: FastifyInstance = fastify({
    ...fastifyOptions(logger),
    bodyLimit: MAX_GIVEN_BYTES,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    // Fastify runs no hook for a URL that cannot be decoded, so check the access here.
    frameworkErrors: (_error, { headers }, reply) =>
      sendError(reply, checkAccess(headers) ?? notFound()),
  });
  // Synchronous, because invalid input in the body is only reported once the body is being read.
  app.addHook('onRequest', ({ headers, routeOptions }, _reply, done) => {
    const { needsToken = () => true } = routeOptions.config;
    done(checkAccess(headers, needsToken(headers)));
  });
  // Accept only JSON, because a web page cannot send it to another origin without a preflight.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      const { 'content-encoding': encoding = 'identity' } = headers;
      if (encoding.toLowerCase() !== 'identity') throw CONTENT_ENCODING;
      return body;
    },
  );
  app.setReplySerializer((value) => writeJson(value));
  app.setErrorHandler((error, request, reply) => {
    const { code } = Object(error) as { code?: string };
    const known = toControlError(error, request.routeOptions.bodyLimit);
    // For example, a reader of events left before the first event. Nobody receives the error.
    if (known === INTERNAL && code !== 'ERR_STREAM_PREMATURE_CLOSE') {
      logBug(logger, error, 'Failed to respond on the control API: a bug in momo-mock');
    }
    return sendError(reply, known, error instanceof NotVerifiedError ? error.closest : undefined);
  });
  app.setNotFoundHandler(({ method, url }, reply) =>
    sendError(reply, noRoute(app, server, method, url)),
  );

  for (const [name, route] of Object.entries(ROUTES)) addRoute(app, name, route, server);
  await app.ready();
  return app;
}

function addRoute(
  app: FastifyInstance,
  name: string,
  route: Route,
  server: ControlledServer,
): void {
  const { needsToken, maxBodyBytes = MAX_GIVEN_BYTES, status = 200 } = route;
  const [method = '', url = ''] = name.split(' ');
  app.route({
    method,
    url,
    bodyLimit: maxBodyBytes,
    config: { needsToken },
    handler: async (request, reply) => {
      const { headers, signal } = request;
      const { '*': name, ...params } = request.params as Record<string, string>;
      const given = {
        apiKey: accountOf(request, server.mock),
        headers,
        signal,
        params: name === undefined ? params : { name },
        query: readQuery(route.query, request.query as object),
        bytes: Buffer.isBuffer(request.body) ? request.body : NO_BODY,
      };
      const result = await perform(route, server, given);
      const { body, headers: own } = result instanceof Reply ? result : new Reply(result, {});
      reply.headers(own);
      if (body === undefined) return reply.code(204).send();
      reply.code(status);
      if (!(Symbol.asyncIterator in Object(body))) return reply.send(body);
      // For HEAD, Fastify would read a stream to its end, but an event stream never ends.
      const pieces = request.method === 'HEAD' ? [] : (body as AsyncIterable<Buffer>);
      return reply.send(Readable.from(pieces, { objectMode: false }));
    },
  });
}

/**
 * The key of the account that a request targets. A key in the query is refused, because otherwise a
 * request for one account would apply to all of them.
 */
function accountOf({ query, headers }: FastifyRequest, mock: Mock): string | undefined {
  if (Object.keys(query as object).some(isKeyName)) {
    const advice = "must not contain a key. Send the account's key in the header apikey";
    throw invalid('the query', advice);
  }
  const { apikey: apiKey, account: id } = headers;
  const misplaced = Object.keys(mock.keyRule.carry('').headers).find(
    (name) => name !== 'authorization' && name in headers,
  );
  if (misplaced !== undefined && apiKey === undefined) {
    const advice =
      "it is for the service. Send the account's key in the header apikey, or leave it out";
    throw invalid(`the header ${misplaced}`, advice);
  }
  if (typeof id === 'string') {
    if (apiKey === undefined) return mock.keyOf(id);
    const advice = 'cannot be combined with the header apikey. Send one of the two';
    throw invalid('the header account', advice);
  }
  // Node reads headers as latin1, but keys may be UTF-8.
  return typeof apiKey === 'string' ? Buffer.from(apiKey, 'latin1').toString() : undefined;
}

function readQuery(definition: object | undefined, query: object): Record<string, unknown> {
  const { properties = {} } = (definition ?? {}) as {
    properties?: Record<string, { type?: string }>;
  };
  const fields = Object.entries(query).map(([name, text]) => {
    const isText = properties[name]?.type === 'string' || !/^(\d+|true|false|null)$/.test(text);
    return [name, isText ? text : /^\d/.test(text) ? Number(text) : JSON.parse(text)];
  });
  return Object.fromEntries(fields);
}

function sendError(
  reply: FastifyReply,
  { status, code, message, headers }: ControlError,
  closest?: readonly object[],
): FastifyReply {
  return reply.code(status).headers(headers).send({ error: { code, message }, closest });
}

/** 404, or 405 if the path supports another method. */
function noRoute(
  app: FastifyInstance,
  { mock, url: service }: ControlledServer,
  method: string,
  url: string,
): ControlError {
  const path = url.replace(/[?#].*$/s, '');
  const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
  if (allowed.length > 0) {
    const allow = allowed.join(', ');
    const text = `Method not allowed: this path does not support it. Use one of ${allow}.`;
    return new ControlError('MOMO_MOCK_METHOD', text, { allow });
  }
  const plain = path.replace(/\/$/, '');
  const routes = Object.entries(ROUTES).flatMap(([name, { isHidden }]) =>
    isHidden ? [] : [documented(name).split(' ') as [string, string]],
  );
  const meant = closestName(plain, [...new Set(routes.map(([, path]) => path))]);
  if (meant !== undefined) {
    const methods = routes.flatMap(([method, path]) => (path === meant ? [method] : []));
    const known = methods.includes(method) ? method : methods.join(', ');
    return notFound(`Did you mean ${known} ${meant}?`);
  }
  const isOfService = mock.operations.some(({ template }) => closestName(plain, [template]));
  return isOfService ? notFound(`The service at ${service} has such a path.`) : notFound();
}

function notFound(advice = 'GET /openapi.json lists the routes.'): ControlError {
  const text = `Not found: the control API has no route with this path. ${advice}`;
  return new ControlError('MOMO_MOCK_NOT_FOUND', text);
}

function toControlError(error: unknown, bodyLimit?: number): ControlError {
  if (error instanceof ControlError) return error;
  if (error instanceof MomoMockError && error.code in STATUSES) {
    return new ControlError(error.code as ControlCode, error.message);
  }
  const { code, statusCode = 500 } = Object(error) as { code?: string; statusCode?: number };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return clientError(408);
  if (statusCode === 413) return toControlError(tooLarge(bodyLimit));
  if (statusCode === 415) return CONTENT_TYPE;
  return statusCode < 500 ? clientError(400) : INTERNAL;
}

const INTERNAL = new ControlError(
  'MOMO_MOCK_INTERNAL',
  'Internal error: a bug in momo-mock. See its log.',
);

const CONTENT_TYPE = new ControlError(
  'MOMO_MOCK_CONTENT_TYPE',
  'Failed to read the body: its content type is not JSON. Send the header content-type: application/json.',
);

const CONTENT_ENCODING = new ControlError(
  'MOMO_MOCK_CONTENT_TYPE',
  'Failed to read the body: it is encoded. Send it without content-encoding.',
);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request must carry the token. @default always */
    needsToken?: Route['needsToken'] | undefined;
  }
}
