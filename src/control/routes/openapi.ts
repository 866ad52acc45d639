import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { errors } from '../schemas/error.ts';

const schema = {
  summary: 'Get the description of this API',
  response: { ...errors(), 200: Type.Object({}, { description: 'An OpenAPI 3.1 document.' }) },
};

/** The options of the description. */
export interface OpenApiOptions {
  /** Makes the OpenAPI document. It is called once. */
  readonly describe: () => Promise<object>;
}

/** `GET /openapi.json`: the description of this API. */
export const openApiRoutes: FastifyPluginAsyncTypebox<OpenApiOptions> = async (
  app,
  { describe },
) => {
  let document: Promise<object> | undefined;
  app.get('/openapi.json', { schema }, async () => {
    document ??= describe();
    return await document;
  });
};
