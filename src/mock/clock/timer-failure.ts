import { MomoMockError } from '../../errors.ts';
import { MOST_TIMERS } from '../limits.ts';

/** A timer whose function failed. */
export interface TimerFailure {
  /** The place of the error in the user's fixtures, as `file:line:column`, if it has one. */
  readonly place: string | undefined;
  /** If its promise does not settle, this in words. */
  readonly late?: string;
}

/** The failure of a timer whose promise does not settle within a time in ms, in words. */
export function lateAfter(ms: number): string {
  return `did not settle within ${ms} ms, which is MOMO_MOCK_CLIENT_TIMEOUT`;
}

/** The error of `advance` for timers that failed. It names places, never what the errors say. */
export function timersFailed(failures: readonly TimerFailure[]): MomoMockError {
  const stuck = failures.find(({ late }) => late !== undefined);
  if (stuck !== undefined) {
    return failed(
      `the promise of a timer that was set at ${stuck.place} ${stuck.late}. Correct the handler that set it.`,
    );
  }
  const place = failures.find((failure) => failure.place !== undefined)?.place;
  const at = place === undefined ? '' : ` at ${place}`;
  const one = `a timer threw an error${at}`;
  const many = `${failures.length} timers threw errors${at && `, one${at}`}`;
  const why = failures.length === 1 ? one : many;
  return failed(`${why}. Correct the handler that set it; the log of momo-mock has the details.`);
}

/** The error of `advance` for timers that do not come to an end. */
export function endlessTimers(): MomoMockError {
  const most = MOST_TIMERS.toLocaleString('en');
  return failed(
    `${most} timers ran, and more are due. Advance by less time, or correct a timer that sets itself again.`,
  );
}

function failed(why: string): MomoMockError {
  return new MomoMockError('MOMO_MOCK_TIMER_FAILED', `Failed to advance the clock: ${why}`);
}
