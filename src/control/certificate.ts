import type { FastifyInstance } from 'fastify';
import { errors } from './answers.ts';

const TYPE = 'application/x-pem-file';
const pem = { type: 'string', examples: ['-----BEGIN CERTIFICATE-----\n…'] };
const schema = {
  summary: 'The certificate to trust',
  response: {
    200: { description: 'PEM.', content: { [TYPE]: { schema: pem } } },
    ...errors(),
  },
};

/** `GET /certificate`: the PEM to trust, for clients that do not share a disk with the mock. */
export function certificateRoute(app: FastifyInstance, certificate: () => string): void {
  app.get('/certificate', { schema }, (_request, reply) => reply.type(TYPE).send(certificate()));
}
