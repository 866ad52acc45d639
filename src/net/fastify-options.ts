import { LogController } from 'fastify';
import { type Logger, SILENT } from '../log/logger.ts';

export function fastifyOptions(logger: Logger = SILENT) {
  return {
    ...(logger === SILENT ? { logger: false as const } : { loggerInstance: logger }),
    // Fastify must not log requests, because URLs contain keys.
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request would only add a request id.
    childLoggerFactory: () => logger,
    // No route has a Fastify schema, so Fastify must not load its compilers.
    schemaController: {
      compilersFactory: { buildValidator: neverCalled, buildSerializer: neverCalled },
    },
    return503OnClosing: false,
  };
}

function neverCalled(): never {
  throw new Error('A schema is compiled where none should be: a bug in momo-mock.');
}
