import type { FastifyInstance } from 'fastify';

/** `GET /certificate`: the PEM to trust, for clients that do not share a disk with the double. */
export function certificateRoute(app: FastifyInstance, certificate: () => string): void {
  app.get('/certificate', (_request, reply) =>
    reply.type('application/x-pem-file').send(certificate()),
  );
}
