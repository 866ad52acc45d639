import type { DestinationStream, Logger as PinoLogger } from 'pino';
import type { JournalRecord } from './mock/journal-record.ts';
import { HINTS } from './mock/reason.ts';

/** What is logged to. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

/** What momo-mock logs to. */
export interface LogOptions {
  /** pino's levels, or `silent`. */
  readonly level: string;
  /** @default standard output */
  readonly stream?: DestinationStream;
}

/** Makes the logger. Records are JSON lines. pino is loaded only when something is to be logged. */
export async function createLogger({ level, stream }: LogOptions): Promise<PinoLogger> {
  const { pino } = await import('pino');
  return pino({ level, base: null }, stream ?? inFewWrites(pino.destination(1)));
}

/** What is logged closer together than this goes out in one write, in ms. */
const TOGETHER = 50;

/** Writes the first record at once, and in a crowd many together: a write costs as much as an answer. */
function inFewWrites(stream: DestinationStream): DestinationStream {
  let waiting = '';
  let isCrowd = false;
  const write = (lines: string): void => {
    stream.write(lines);
    isCrowd = true;
    setTimeout(next, TOGETHER);
  };
  const next = (): void => {
    isCrowd = false;
    const lines = waiting;
    waiting = '';
    if (lines !== '') write(lines);
  };
  return {
    write: (line) => {
      if (isCrowd) waiting += line;
      else write(line);
    },
  };
}

const ignore = (): void => {};

/** A logger for who wants no log. */
export const NO_LOG: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/**
 * Logs what was received and what was done. This is the one place where a request becomes a log
 * record, so the one place that keeps keys out: nothing is taken from the URL, the headers or the
 * body but the method.
 *
 * @param cause the code of the error that ended the connection
 */
export function logExchange(logger: Logger, record: JournalRecord, cause?: string): void {
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

/**
 * What may be logged of an error that nobody expected: its kind and where it came from. Not its
 * message, which may quote what the client sent.
 */
export function describeBug(error: unknown): { error: string; at: string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  const at = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { error: error.name, at: at.map((line) => line.trim()) };
}
