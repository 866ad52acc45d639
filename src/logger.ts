import { type DestinationStream, type Logger, pino } from 'pino';
import type { Outcome } from './core/double.ts';
import { HINTS } from './core/reason.ts';

export type { Logger };

/** What momo-mock logs to. */
export interface LogOptions {
  /** pino's levels, or `silent`. */
  readonly level: string;
  /** @default standard output */
  readonly stream?: DestinationStream;
}

/** Makes the logger. Records are JSON lines. */
export function createLogger({ level, stream }: LogOptions): Logger {
  return pino({ level, base: null }, stream ?? pino.destination(1));
}

/** An exchange with a client: what was asked and what was said, as far as it is known. */
export interface Exchange extends Omit<Outcome, 'answer' | 'account'> {
  readonly account?: string;
  readonly method?: string;
  readonly status?: number;
  /** From the request's headers to the answer's last byte, in ms. */
  readonly duration?: number;
  /** The client went away before it had the whole answer. */
  readonly aborted?: true;
  /** The code of the error that ended the connection. */
  readonly cause?: string;
}

/**
 * Logs an exchange. This is the one place where a request becomes a log record, so the one place
 * that keeps keys out: nothing in it is taken from the URL, the headers or the body but the method
 * and the path as {@link Outcome} has it.
 */
export function logExchange(logger: Logger, exchange: Exchange): void {
  const { reason } = exchange;
  logger.info(reason === undefined ? exchange : { ...exchange, hint: HINTS[reason] }, 'request');
}

/**
 * What may be logged of an error that nobody expected: its kind and where it came from. Not its
 * message, which may quote what the client sent.
 */
export function describeBug(error: unknown): { error: string; at: string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  const at = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { error: error.name, at: at.map((line) => line.trim()) };
}
