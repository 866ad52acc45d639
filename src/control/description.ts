import { fastifySwagger } from '@fastify/swagger';
import { type FastifySchema, fastify } from 'fastify';
import { fastifyOptions } from '../fastify-options.ts';
import { shownPath } from './app.ts';
import { type ControlCode, STATUSES } from './control-error.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { ERROR } from './schemas/error.ts';

/** The options of the API description. */
export interface DescriptionOptions {
  readonly version: string;
  /** Whether a token is required. */
  readonly hasToken: boolean;
}

/** The errors that every route can return. */
const ALWAYS: readonly ControlCode[] = [
  'MOMO_MOCK_REQUEST_INVALID',
  'MOMO_MOCK_TOKEN',
  'MOMO_MOCK_HOST_REFUSED',
  'MOMO_MOCK_ORIGIN_REFUSED',
];
const ACCOUNT_HEADERS = {
  apikey: 'The key of one account. Without it, the request is for the whole service.',
  account: 'The id of the account, such as account-1, instead of its key.',
};
const OPENAPI = {
  summary: 'Get the description of this API',
  response: {
    ...errors([]),
    200: { type: 'object', description: 'An OpenAPI 3.1 document.' },
  },
};

/**
 * Makes the OpenAPI 3.1 document of all routes. They are added to an application of its own, because
 * few users ask for the document, and its libraries take several ms to load.
 */
export async function describeRoutes({ version, hasToken }: DescriptionOptions): Promise<object> {
  const app = fastify(fastifyOptions());
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  for (const [$id, schema] of components()) {
    app.addSchema({ $id, ...withReferences(schema) });
  }
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'momo-mock control API',
        version,
        description:
          'Tests configure and query the mock with this API. Send the header apikey to target one account. Without it, a request is for the whole service.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'The value of MOMO_MOCK_CONTROL_TOKEN, if it is set.',
          },
        },
      },
      security: hasToken ? [{ token: [] }] : [{}, { token: [] }],
    },
    convertConstToEnum: false,
    refResolver: { buildLocalReference: ({ $id }, _base, _fragment, index) => `${$id ?? index}` },
    transform: ({ schema = {}, url }) => {
      return { schema: withReferences(schema), url: shownPath(url) };
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      const { openapiObject } = document;
      // The plugin marks every described body as required.
      for (const { method, path } of ROUTES.filter(({ isBodyOptional }) => isBodyOptional)) {
        const operation = method.toLowerCase() as 'post';
        const { requestBody } = openapiObject.paths?.[path]?.[operation] ?? {};
        Object.assign(requestBody ?? {}, { required: false });
      }
      return openapiObject;
    },
  });
  await app.register(async (routes) => {
    for (const route of ROUTES.filter(({ isHidden }) => !isHidden)) {
      const { method, path: url } = route;
      routes.route({ method, url, schema: schemaOf(route), handler: () => {} });
    }
    routes.get('/openapi.json', { schema: OPENAPI }, () => {});
  });
  await app.ready();
  return app.swagger();
}

/** The schema of a route, from which its description is made. */
function schemaOf(route: Route): FastifySchema {
  const { summary, description, account, query, params, body } = route;
  const headers = { ...(account === true && ACCOUNT_HEADERS), ...route.headers };
  const codes = [
    ...(route.errors ?? []),
    ...(account === true ? (['MOMO_MOCK_ACCOUNT_UNKNOWN'] as const) : []),
    ...(body === undefined ? [] : (['MOMO_MOCK_TOO_LARGE', 'MOMO_MOCK_CONTENT_TYPE'] as const)),
  ];
  const { status = 200, result, nothing, unverified } = route;
  return {
    summary,
    ...(description !== undefined && { description }),
    ...(Object.keys(headers).length > 0 && { headers: textsOf(headers, false) }),
    ...(query !== undefined && { querystring: query }),
    ...(params !== undefined && { params: textsOf(params, true) }),
    ...(body !== undefined && { body }),
    response: {
      ...errors(codes),
      ...(result !== undefined && { [status]: result }),
      ...(nothing !== undefined && { 204: { type: 'null', description: nothing } }),
      ...(unverified !== undefined && { 422: unverified }),
    },
  };
}

function textsOf(descriptions: Readonly<Record<string, string>>, isRequired: boolean): object {
  const names = Object.keys(descriptions);
  const properties = names.map((name) => [
    name,
    { type: 'string', description: descriptions[name] },
  ]);
  return {
    type: 'object',
    ...(isRequired && { required: names }),
    properties: Object.fromEntries(properties),
  };
}

/** Describes the errors that a route can return, including those of all routes. */
function errors(codes: readonly ControlCode[]): object {
  const all = [...codes, ...ALWAYS];
  const content = { 'application/json': { schema: ERROR } };
  const described = all.map((code) => {
    const same = all.filter((other) => STATUSES[other] === STATUSES[code]);
    return [STATUSES[code], { description: same.join(', '), content }];
  });
  return Object.fromEntries(described);
}

/** The definitions with a name, wherever routes use them. */
function components(): Map<string, object> {
  const found = new Map<string, object>();
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const { $id } = part as { $id?: unknown };
    if (typeof $id === 'string' && /^[A-Z]/.test($id)) found.set($id, part);
    for (const inner of Object.values(part)) visit(inner);
  };
  for (const route of ROUTES) visit(schemaOf(route));
  return found;
}

/** Replaces every named definition in a schema with a reference to its component. */
function withReferences(named: object): object {
  const { $id: _, ...schema } = named as { $id?: string };
  const refer = (_key: string, part: { $id?: string } | null) =>
    part?.$id === undefined || !/^[A-Z]/.test(part.$id) ? part : { $ref: `${part.$id}#` };
  return JSON.parse(JSON.stringify(schema, refer));
}
