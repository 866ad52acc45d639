import type { FastifyBaseLogger } from 'fastify';
import type { DestinationStream, Logger as PinoLogger } from 'pino';
import type { LogOutput } from './log-output.ts';
import type { JournalRecord } from './mock/journal-record.ts';
import { HINTS } from './mock/reason.ts';

/** The logger of both applications: pino's, or one that is silent. */
export type Logger = FastifyBaseLogger;

/** What is logged, and where to. */
export interface LogOptions {
  /** pino's levels, or `silent`. */
  readonly level: string;
  /** Takes the records. */
  readonly stream: DestinationStream;
  /** What the stream writes to. How many lines it drops is logged once it can be written again. */
  readonly output?: LogOutput;
}

const ignore = (): void => {};

/** The logger at level `silent`. */
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

/** Makes a logger whose records are JSON lines. pino is not loaded for one that is silent. */
export async function createLogger({ level, stream, output }: LogOptions): Promise<Logger> {
  if (level === 'silent') return SILENT;
  const { pino } = await import('pino');
  const serializers = { err: describeBug };
  const logger: PinoLogger = pino({ level, base: null, serializers }, stream);
  if (output !== undefined) {
    // Whoever reads the log must learn at any level that it is not all.
    const always = logger.child({}, { level: 'warn' });
    output.onRecovery = (dropped) => always.warn({ dropped }, droppedText(dropped));
  }
  return logger;
}

function droppedText(count: number): string {
  const lines = count === 1 ? '1 log line' : `${count} log lines`;
  return `Failed to write ${lines}: nobody read the output, or its disk was full.`;
}

/**
 * Logs what was received and how it was answered. Nothing is taken from the URL, the headers or the
 * body but the method and the loggable path, so no key gets into the log.
 *
 * @param cause the code of the error that ended the connection
 */
export function logRequest(logger: Logger, record: JournalRecord, cause?: string): void {
  const { account, method, path, status, source, variant, fault, reason, aborted } = record;
  // pino leaves out what is undefined.
  const fields = {
    account: account ?? undefined,
    method: method ?? undefined,
    path: path ?? undefined,
    status: status ?? undefined,
    source: source ?? undefined,
    variant: variant ?? undefined,
    fault: fault ?? undefined,
    reason: reason ?? undefined,
    duration: record.durationMs ?? undefined,
    cause,
    hint: reason === null ? undefined : HINTS[reason],
    aborted: aborted || undefined,
  };
  logger.info(fields, 'request');
}

/** Logs an error that nobody expected. */
export function logBug(logger: Logger, error: unknown, text: string): void {
  logger.error(describeBug(error), text);
}

/**
 * What the log may show of an error that nobody expected: its kind and where it came from. Not its
 * message, which may quote what the client sent.
 */
export function describeBug(error: unknown): { error: string; at: string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  const at = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { error: error.name, at: at.map((line) => line.trim()) };
}
