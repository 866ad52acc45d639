import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { errors } from '../schemas/error.ts';
import { HEALTH, type Health } from '../schemas/health.ts';

const schema = {
  summary: 'Show that the mock is ready, and its operations',
  response: { ...errors(), 200: HEALTH },
};

/** `GET /health`: for probes, and for tests that wait until the mock is ready. */
export const healthRoutes: FastifyPluginAsyncTypebox<{ health: () => Health }> = async (
  app,
  { health },
) => {
  app.get('/health', { schema }, async () => health());
};
