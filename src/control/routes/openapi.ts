import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { errors } from '../schemas/error.ts';

const schema = {
  summary: 'Get the description of this API',
  response: { ...errors(), 200: Type.Object({}, { description: 'An OpenAPI 3.1 document.' }) },
};

/** `GET /openapi.json`: the description of this API. */
export const openApiRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/openapi.json', { schema }, async () => app.swagger());
};
