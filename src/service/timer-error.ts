import type { Logger } from '../logger.ts';
import type { TimerListeners } from '../mock/clock/timer-runner.ts';
import type { Redactor } from '../mock/redaction/redaction.ts';
import { causeOf, placeOf } from './handler-failure.ts';

/**
 * Makes the function that logs the error of a timer that a handler set. It returns the place of the
 * error in the fixture tree, or else where the timer was set.
 */
export function timerErrorLog(logger: Logger, redactor: Redactor): TimerListeners['onError'] {
  return (error, setAt) => {
    const place = placeOf(error) ?? setAt;
    const at = place === undefined ? '' : ` at ${place}`;
    const text = `Failed to run a timer${at}: ${causeOf(error)}. Correct the handler that set it.`;
    logger.error(redactor.redact(text));
    return place;
  };
}
