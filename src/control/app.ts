import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type FastifyInstance, type FastifyServerOptions, fastify } from 'fastify';
import { fastifyOptions } from '../fastify-options.ts';
import type { Logger } from '../logger.ts';
import type { Controller } from '../mock/controller/controller.ts';
import type { Definition } from '../mock/definition.ts';
import { LONGEST_GIVEN } from '../mock/limits.ts';
import { type AccessOptions, accessCheck, createAccessCheck } from './plugins/access-check.ts';
import { account } from './plugins/account.ts';
import { errorResponse, noRoute, sendError } from './plugins/error-response.ts';
import { jsonBody } from './plugins/json-body.ts';
import { accountsRoutes } from './routes/accounts.ts';
import { balanceRoutes } from './routes/balance.ts';
import { callbacksRoutes } from './routes/callbacks.ts';
import { certificateRoutes } from './routes/certificate.ts';
import { clockRoutes } from './routes/clock.ts';
import { eventsRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { operationsRoutes } from './routes/operations.ts';
import { type OverviewOptions, overviewRoutes } from './routes/overview.ts';
import { requestsRoutes } from './routes/requests.ts';
import { type Reset, resetRoutes } from './routes/reset.ts';
import { responsesRoutes } from './routes/responses.ts';
import { stateRoutes } from './routes/state.ts';
import { type ControlledTls, tlsRoutes } from './routes/tls.ts';
import { variantRoutes } from './routes/variant.ts';
import { verifyRoutes } from './routes/verify.ts';
import type { Health } from './schemas/health.ts';

/** The maximum length of a parameter in the path, in characters. */
const LONGEST_NAME = 16_384;

/** The parts of the mock that the control API shows and changes, and its access rules. */
export interface ControlAppOptions extends AccessOptions, OverviewOptions {
  readonly health: () => Health;
  /** Returns the PEM for clients to trust. */
  readonly certificate: () => string;
  readonly controller: Controller;
  readonly tls: ControlledTls;
  readonly reset: Reset;
  readonly logger: Logger;
  readonly version: string;
}

/** The server of the application, and its handler for invalid requests. */
export type ControlServerOptions = Pick<
  FastifyServerOptions,
  'serverFactory' | 'clientErrorHandler'
>;

/**
 * Makes the control API. Resolves when it is ready. It does not listen.
 *
 * @param server without it, the application can only be used with `inject`
 */
export async function createControlApp(
  options: ControlAppOptions,
  server: ControlServerOptions = {},
): Promise<FastifyInstance> {
  const { controller } = options;
  const checkAccess = createAccessCheck(options);
  const app: FastifyInstance = fastify({
    ...server,
    ...fastifyOptions(options.logger),
    bodyLimit: LONGEST_GIVEN,
    // The names of operations and of the state are parameters of the path.
    routerOptions: { maxParamLength: LONGEST_NAME },
    // No hook runs for a URL that cannot be decoded, so check the access here.
    frameworkErrors: (_error, { headers }, reply) =>
      sendError(reply, checkAccess(headers) ?? noRoute(app, '')),
  });
  app.setValidatorCompiler<Definition<unknown>>(({ schema, httpPart }) => (value) => {
    try {
      const given = httpPart === 'querystring' ? readQuery(schema, value) : value;
      return { value: controller.check(schema, given) };
    } catch (error) {
      return { error: error as Error };
    }
  });
  app.setSerializerCompiler(() => JSON.stringify);

  app.register(errorResponse, options);
  app.register(accessCheck, options);
  app.register(account, options);
  app.register(jsonBody);
  app.register(routes, options);
  await app.ready();
  return app;
}

/** All routes of the control API. They are in one scope: a scope for each would make a start longer. */
const routes: FastifyPluginAsyncTypebox<ControlAppOptions> = async (app, options) => {
  await overviewRoutes(app, options);
  await healthRoutes(app, options);
  await certificateRoutes(app, options);
  await balanceRoutes(app, options);
  await variantRoutes(app, options);
  await responsesRoutes(app, options);
  await requestsRoutes(app, options);
  await verifyRoutes(app, options);
  await callbacksRoutes(app, options);
  await eventsRoutes(app, options);
  await operationsRoutes(app, options);
  await stateRoutes(app, options);
  await clockRoutes(app, options);
  await accountsRoutes(app, options);
  await tlsRoutes(app, options);
  await resetRoutes(app, options);
  await openApiRoutes(app, {
    describe: async () => {
      const { describeRoutes } = await import('./description.ts');
      const { version, token } = options;
      const hasToken = token !== undefined;
      return await describeRoutes((other) => routes(other, options), { version, hasToken });
    },
  });
};

/** The texts of a query that stand for values of another type. */
const TYPED: Readonly<Record<string, RegExp>> = {
  integer: /^\d+$/,
  boolean: /^(true|false)$/,
  null: /^null$/,
};

interface Property {
  readonly type?: string;
  readonly anyOf?: readonly Property[];
}

/** Converts the texts of a query to the types that the schema expects. */
function readQuery(schema: object, query: object): Record<string, unknown> {
  const { properties } = schema as { properties: Record<string, Property> };
  const fields = Object.entries(query).map(([name, given]) => {
    const text = `${given}`;
    const property = properties[name] ?? {};
    const types = (property.anyOf ?? [property]).map(({ type = '' }) => type);
    const type = types.find((one) => TYPED[one]?.test(text));
    if (type === undefined) return [name, given];
    return [name, type === 'integer' ? Number(text) : JSON.parse(text)];
  });
  return Object.fromEntries(fields);
}
