import { LogController } from 'fastify';
import { type Logger, SILENT } from './logger.ts';

/** What every Fastify instance of momo-mock has in common. */
export function fastifyOptions(logger: Logger = SILENT) {
  return {
    ...(logger === SILENT ? { logger: false as const } : { loggerInstance: logger }),
    // Fastify logs nothing of a request by itself: URLs hold keys.
    logController: new LogController({ disableRequestLogging: true }),
    // The records are momo-mock's own, and need no bindings for each request.
    childLoggerFactory: () => logger,
    // No schema is compiled by Fastify: the control API has its own check, the service no schemas.
    schemaController: {
      compilersFactory: { buildValidator: neverCalled, buildSerializer: neverCalled },
    },
    return503OnClosing: false,
  };
}

function neverCalled(): never {
  throw new Error('A schema is compiled where none should be: a bug in momo-mock.');
}
