import type { FastifyBaseLogger } from 'fastify';
import type { DestinationStream, Logger as PinoLogger } from 'pino';
import { readThrown } from '../errors.ts';
import type { RequestRecord } from '../mock/journal/record.ts';
import type { FailedAttempts } from '../mock/webhooks/failed-attempts.ts';
import type { LogOutput } from './log-output.ts';

export type Logger = FastifyBaseLogger;

export interface LogOptions {
  /** One of pino's levels, or `silent`. */
  readonly level: string;
  readonly stream: DestinationStream;
  /** The output behind the stream. If it drops lines, the log says so once it works again. */
  readonly output?: LogOutput;
}

const ignore = (): void => {};

export const SILENT: Logger = {
  level: 'silent',
  child: () => SILENT,
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
  silent: ignore,
};

/** A silent logger does not load pino. */
export async function createLogger({ level, stream, output }: LogOptions): Promise<Logger> {
  if (level === 'silent') return SILENT;
  const { pino } = await import('pino');
  const serializers = { err: describeBug };
  const logger: PinoLogger = pino({ level, base: null, serializers }, stream);
  if (output !== undefined) {
    // The log must report missing lines at every level.
    const always = logger.child({}, { level: 'warn' });
    output.onRecovery = () =>
      always.warn('Failed to write some log lines: nobody read the output, or its disk was full.');
  }
  return logger;
}

/**
 * From the request, the log takes only the method and the loggable path, so that it gets no key.
 *
 * @param cause the code of the error that ended the connection
 */
export function logRequest(logger: Logger, record: RequestRecord, cause?: string): void {
  const {
    account,
    method,
    loggedPath,
    status,
    source,
    variant,
    fault,
    loggedReason: reason,
    aborted,
  } = record;
  // pino omits undefined fields.
  const fields = {
    account: account ?? undefined,
    method: method ?? undefined,
    path: loggedPath ?? undefined,
    status: status ?? undefined,
    source: source ?? undefined,
    variant: variant ?? undefined,
    fault: fault ?? undefined,
    reason: reason ?? undefined,
    duration: record.durationMs ?? undefined,
    cause,
    hint: reason === null ? undefined : (record.hint ?? undefined),
    aborted: aborted || undefined,
  };
  logger.info(fields, 'request');
}

/** Says how to fix the first of equal ones. */
export function logFailedAttempt(logger: Logger, { kind, hint, count }: FailedAttempts): void {
  const more = count === 1 ? `.${hint === null ? '' : ` ${hint}`}` : ` (${count} so far).`;
  logger.info({ count }, `A webhook attempt did not get through: ${kind}${more}`);
}

export function logBug(logger: Logger, error: unknown, text: string): void {
  logger.error(describeBug(error), text);
}

/** It leaves out the message, which may quote client input. */
export function describeBug(error: unknown): { error: string; at: string[] } {
  const { name, at } = readThrown(error);
  return { error: name, at };
}
