import { type FastifyInstance, fastify } from 'fastify';
import { ACCOUNT_SCHEMA } from './accounts.ts';
import { ERROR_SCHEMA, errors } from './answers.ts';
import { REQUEST_SCHEMA } from './request-schema.ts';
import { RESPONSE_SCHEMA } from './response-schema.ts';

/** The schemas to which those of the routes refer. */
const SHARED = [ERROR_SCHEMA, ACCOUNT_SCHEMA, REQUEST_SCHEMA, RESPONSE_SCHEMA];
const DOCUMENT = { type: 'object', description: 'An OpenAPI 3.1 document.' };
const schema = {
  summary: 'This API, described',
  response: {
    200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: DOCUMENT } } },
    ...errors(),
  },
};

/** `GET /openapi.json`: the description of this API; made when it is first asked for. */
export function openApiRoute(app: FastifyInstance, describe: () => Promise<object>): void {
  let made: Promise<object> | undefined;
  app.get('/openapi.json', { schema }, () => {
    made ??= describe();
    return made;
  });
}

/** What a description is made of. */
export interface DescribeOptions {
  readonly version: string;
  /** A token is demanded. */
  readonly hasToken: boolean;
  /** Adds every route to an app, which is never asked anything. */
  readonly addRoutes: (app: FastifyInstance) => void;
}

/** Makes the OpenAPI document from the schemas of the routes. */
export async function describeApi(options: DescribeOptions): Promise<object> {
  const { version, hasToken, addRoutes } = options;
  const { fastifySwagger } = await import('@fastify/swagger');
  const app = fastify({ logger: false });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  for (const shared of SHARED) app.addSchema(shared);
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'momo-mock control API',
        version,
        description:
          'What tests tell the mock and ask of it. The header apikey picks the account; without it, what is told holds for the whole service.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'The token of MOMO_MOCK_CONTROL_TOKEN, where one is set.',
          },
        },
      },
      security: hasToken ? [{ token: [] }] : [{}, { token: [] }],
    },
    refResolver: { buildLocalReference: ({ $id }, _base, _fragment, index) => `${$id ?? index}` },
  });
  addRoutes(app);
  await app.ready();
  const document = app.swagger();
  await app.close();
  return withOptionalBody(document as Described, '/accounts');
}

/** A body that a route describes is demanded, says the plugin. This one is not. */
function withOptionalBody(document: Described, path: string): object {
  const { post } = document.paths[path] ?? {};
  if (post?.requestBody !== undefined) post.requestBody.required = false;
  return document;
}

/** As much of a document as is put right. */
interface Described {
  readonly paths: Record<
    string,
    { readonly post?: { readonly requestBody?: { required?: boolean } } }
  >;
}
