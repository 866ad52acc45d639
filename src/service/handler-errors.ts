import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MomoMockError, readThrown } from '../errors.ts';
import { type Logger, logBug } from '../log/logger.ts';
import type { TimerOptions } from '../mock/clock/timer-queue.ts';
import { TREE_FRAME } from '../mock/operations/tree-frame.ts';
import type { Redactor } from '../mock/redaction/redaction.ts';
import { monotonicTime } from '../timers.ts';

/** The file, line and column in a stack frame. */
const LOCATION = /(?<=\(|at |async )(?:file:\/\/|\/|[A-Z]:\\)[^()\n]*:\d+:\d+/;

/** How many errors of timers are logged in a second. */
const MAX_LOGGED = 100;

/** Its message, such as `it took too long`, contains no request values. */
export class HandlerFailure extends Error {}

/**
 * The cause of a handler's failure. An error message may quote the request, so only the error's name
 * is used, except for momo-mock's own errors, which never quote values.
 */
export function causeOf(error: unknown): string {
  const message = safeMessage(error);
  if (message !== undefined) return message.replace(/\.$/, '');
  const { name } = readThrown(error);
  return `it threw ${/^([aeo]|und)/i.test(name) ? 'an' : 'a'} ${name}`;
}

/** The message, if it quotes no values. */
function safeMessage(error: unknown): string | undefined {
  try {
    if (error instanceof HandlerFailure) return error.message;
    // The message of a failed verification quotes received requests.
    const isSafe = error instanceof MomoMockError && error.code !== 'MOMO_MOCK_NOT_VERIFIED';
    return isSafe ? `${error.message}` : undefined;
  } catch {
    // The error may be a proxy that throws.
    return undefined;
  }
}

/** The innermost place of an error in a module of the fixture tree, as `file:line:column`. */
export function placeOf(error: unknown): string | undefined {
  const { at } = readThrown(error);
  const [, url, line, column] = TREE_FRAME.exec(at.join('\n')) ?? [];
  if (url === undefined || !URL.canParse(url)) return undefined;
  return `${fileURLToPath(url)}:${line}:${column}`;
}

/** Creates a function that logs the errors of handlers' timers. It returns their cause and place. */
export function timerErrorLog(logger: Logger, redactor: Redactor): TimerOptions['onError'] {
  let second = { began: 0, logged: 0 };
  return (error, setAt) => {
    const place = placeOf(error) ?? setAt;
    const at = place === undefined ? '' : ` at ${place}`;
    const cause = causeOf(error);
    const text = `Failed to run a timer${at}: ${cause}. Correct the handler that set it.`;
    // Timers that set timers can fail thousands of times a second.
    const time = monotonicTime();
    if (time - second.began >= 1000) second = { began: time, logged: 0 };
    if (second.logged++ < MAX_LOGGED) logger.error(redactor.redact(text));
    return { place, cause: redactor.redact(cause) };
  };
}

/**
 * Creates a function that logs a thrown value that nothing caught. It never throws.
 *
 * @param programFolder if the stack of an error has files in this folder only, it is a bug in momo-mock
 */
export function uncaughtErrorLog(
  logger: Logger,
  redactor: Redactor,
  programFolder: string,
): (error: unknown) => void {
  const programPlaces = [programFolder + sep, pathToFileURL(programFolder).href];
  return (error) => {
    const { at } = readThrown(error);
    const foreignFrames = at.filter(
      (frame) => !programPlaces.some((place) => frame.includes(place)),
    );
    const place = placeOf(error) ?? LOCATION.exec(foreignFrames.join('\n'))?.[0];
    if (place === undefined && foreignFrames.length < at.length && !safeMessage(error)) {
      logBug(logger, error, 'Failed to run: a bug in momo-mock');
      return;
    }
    const where = place === undefined ? '' : ` at ${place}`;
    const text = `Failed to run handler code${where}: ${causeOf(error)}. Nothing caught it: await the promise, or handle the error event.`;
    logger.error(place === undefined ? { at } : {}, redactor.redact(text));
  };
}
