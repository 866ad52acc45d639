import { type FastifyInstance, type FastifyServerOptions, fastify } from 'fastify';

/** Fastify would load ajv and a serializer for them, which takes longer than all else it does. */
const noCompiler = () => (): never => {
  throw new Error('this Fastify has no schemas');
};
const NO_SCHEMAS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
};

/** A Fastify without a logger, for what has no schemas. */
export function bareFastify(options: FastifyServerOptions = {}): FastifyInstance {
  return fastify({ ...options, logger: false, schemaController: NO_SCHEMAS });
}
