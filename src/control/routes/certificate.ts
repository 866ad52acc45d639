import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import * as Type from 'typebox';
import { errors } from '../schemas/error.ts';

const TYPE = 'application/x-pem-file';
const PEM = Type.String({ examples: ['-----BEGIN CERTIFICATE-----\n…'] });
const schema = {
  summary: 'Get the certificate to trust',
  response: { ...errors(), 200: { description: 'PEM.', content: { [TYPE]: { schema: PEM } } } },
};

/** `GET /certificate`: the PEM to trust, for clients without access to the file. */
export const certificateRoutes: FastifyPluginAsyncTypebox<{ certificate: () => string }> = async (
  app,
  { certificate },
) => {
  app.get('/certificate', { schema }, async (_request, reply) =>
    reply.type(TYPE).send(certificate()),
  );
};
