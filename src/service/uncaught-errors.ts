import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readThrown } from '../errors.ts';
import { type Logger, logBug } from '../logger.ts';
import type { Redactor } from '../mock/redaction/redaction.ts';
import { monotonicTime } from '../timers.ts';
import { causeOf, ownMessage, placeOf } from './handler-failure.ts';

/** The place in a frame of a stack: a file, the line and the column. */
const LOCATION = /(?<=\(|at |async )(?:file:\/\/|\/|[A-Z]:\\)[^()\n]*:\d+:\d+/;

/** How many different errors are kept to find those that are the same. */
const MOST_KEPT = 1000;

/** How often the same error is logged at most, in ms. All of them are counted. */
export const SAME_ERROR = 1000;

/** The parts of a mock that the report of an uncaught error needs. */
export interface UncaughtErrorsOptions {
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** The folder of the program. An error with frames of its files alone is a bug in momo-mock. */
  readonly programFolder: string;
  /** Is called after each error. */
  readonly onError: () => void;
}

/** Logs and counts the errors that nobody has caught, such as those of promises of handlers. */
export class UncaughtErrors {
  readonly #options: UncaughtErrorsOptions;
  /** When each was logged last. */
  readonly #logged = new Map<string, number>();
  #count = 0;

  constructor(options: UncaughtErrorsOptions) {
    this.#options = options;
  }

  /** The number of errors. */
  get count(): number {
    return this.#count;
  }

  /** Reports an error, or whatever else was thrown. Never throws. */
  readonly report = (error: unknown): void => {
    this.#count++;
    this.#options.onError();
    const { at } = readThrown(error);
    const same = [causeOf(error), ...at].join('\n');
    const now = monotonicTime();
    if (now - (this.#logged.get(same) ?? Number.NEGATIVE_INFINITY) < SAME_ERROR) return;
    if (this.#logged.size >= MOST_KEPT) this.#logged.clear();
    this.#logged.set(same, now);
    this.#log(error, at);
  };

  #log(error: unknown, at: readonly string[]): void {
    const { logger, redactor } = this.#options;
    const others = at.filter((frame) => !this.#isOwn(frame));
    const place = placeOf(error) ?? LOCATION.exec(others.join('\n'))?.[0];
    const isBug = place === undefined && others.length < at.length && !ownMessage(error);
    if (isBug) {
      logBug(logger, error, 'Failed to run: a bug in momo-mock');
      return;
    }
    const where = place === undefined ? '' : ` at ${place}`;
    const text = `Failed to run code of a handler${where}: ${causeOf(error)}. Nothing caught it: await the promise, or handle the error event.`;
    logger.error(place === undefined ? { at } : {}, redactor.redact(text));
  }

  #isOwn(frame: string): boolean {
    const { programFolder } = this.#options;
    return frame.includes(programFolder + sep) || frame.includes(pathToFileURL(programFolder).href);
  }
}
