import { fastifySwagger } from '@fastify/swagger';
import { type FastifyPluginAsync, fastify } from 'fastify';
import { fastifyOptions } from '../fastify-options.ts';
import { ACCOUNT } from '../mock/account-options.ts';
import { CALLBACKS_OPTIONS } from '../mock/callbacks/callback-filter.ts';
import { CALLBACK_SCRIPT, SCRIPTED_CALLBACK } from '../mock/callbacks/callback-script.ts';
import { REQUESTS_OPTIONS } from '../mock/journal/journal-filter.ts';
import { RESPONSE, RESPONSES } from '../mock/scripted-response.ts';
import { STATE_CHANGE } from '../mock/state/state-change.ts';
import {
  CALLBACK_EXPECTATION,
  EXPECTED_CALLBACK,
  EXPECTED_CALLBACKS,
} from '../mock/verify/callback-expectation.ts';
import {
  EXPECTATION,
  EXPECTED,
  EXPECTED_STEP,
  VERIFY_OPTIONS,
} from '../mock/verify/expectation.ts';
import { shownPath } from './plugins/error-response.ts';
import { ATTEMPT } from './schemas/callback.ts';
import { ERROR } from './schemas/error.ts';
import { REQUEST } from './schemas/journal.ts';

/** The options of the API description. */
export interface DescriptionOptions {
  readonly version: string;
  /** Whether a token is required. */
  readonly hasToken: boolean;
}

/** The definitions with a name in the API description. */
const COMPONENTS = [
  ...[ERROR, ACCOUNT, REQUEST, REQUESTS_OPTIONS, RESPONSE, RESPONSES],
  ...[EXPECTATION, EXPECTED_STEP, EXPECTED, VERIFY_OPTIONS],
  ...[ATTEMPT, CALLBACKS_OPTIONS, SCRIPTED_CALLBACK, CALLBACK_SCRIPT],
  ...[STATE_CHANGE, CALLBACK_EXPECTATION, EXPECTED_CALLBACK, EXPECTED_CALLBACKS],
];

/**
 * Makes the OpenAPI 3.1 document of routes. They are added to an application of its own, because
 * few users ask for the document, and its libraries take several ms to load.
 */
export async function describeRoutes(
  routes: FastifyPluginAsync,
  { version, hasToken }: DescriptionOptions,
): Promise<object> {
  const app = fastify(fastifyOptions());
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  for (const component of COMPONENTS) {
    const { $id, ...schema } = component as { $id?: string };
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
      const { requestBody } = openapiObject.paths?.['/accounts']?.post ?? {};
      Object.assign(requestBody ?? {}, { required: false });
      return openapiObject;
    },
  });
  await app.register(routes);
  await app.ready();
  return app.swagger();
}

/** Replaces every named definition in a schema with a reference to its component. */
function withReferences(schema: object): object {
  const refer = (_key: string, part: { $id?: string } | null) =>
    part?.$id === undefined ? part : { $ref: `${part.$id}#` };
  return JSON.parse(JSON.stringify(schema, refer));
}
