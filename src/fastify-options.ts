import { LogController } from 'fastify';
import { type Logger, SILENT } from './logger.ts';

/** The options of every Fastify instance of momo-mock. */
export function fastifyOptions(logger: Logger = SILENT) {
  return {
    ...(logger === SILENT ? { logger: false as const } : { loggerInstance: logger }),
    // Fastify must not log requests, because URLs contain keys.
    logController: new LogController({ disableRequestLogging: true }),
    // The log records of momo-mock need no bindings for each request.
    childLoggerFactory: () => logger,
    // Fastify compiles no schemas: the control API has another check, and the service has none.
    schemaController: {
      compilersFactory: { buildValidator: neverCalled, buildSerializer: neverCalled },
    },
    return503OnClosing: false,
  };
}

function neverCalled(): never {
  throw new Error('A schema is compiled where none should be: a bug in momo-mock.');
}
