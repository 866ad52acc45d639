import type { CallbackEvent } from '../../mock/controller/journal-events.ts';
import { dateTimeOf } from './clock-words.ts';
import { hasAttemptEnded } from './kept-attempts.ts';
import type { ShownClock } from './page-state.ts';

/** The first status that handlers take for a refusal, unless they say otherwise. */
const NOT_ACCEPTED = 300;

/** The status of an attempt for a row: `…` in flight, `–` without a response. */
export function attemptStatus(attempt: CallbackEvent): string {
  if (attempt.status !== null) return String(attempt.status);
  return hasAttemptEnded(attempt) ? '–' : '…';
}

/** Why an attempt has no status; then what to do about it. */
export function attemptWhy(attempt: CallbackEvent): [why: string, hint: string] {
  const why = attempt.reason ?? (hasAttemptEnded(attempt) ? '' : 'in flight');
  return [why, attempt.hint ?? ''];
}

/** Whether an attempt reached nobody, or the application did not accept it. */
export function isRefused({ status, reason }: CallbackEvent): boolean {
  return reason !== null || (status !== null && status >= NOT_ACCEPTED);
}

/** What came of a callback that was sent again. */
export function sentWords(attempt: CallbackEvent): string {
  const [why, hint] = attemptWhy(attempt);
  const words = attempt.status === null ? why : `status ${attempt.status}`;
  return `Sent again. Attempt ${attempt.attempt}: ${[`${words}.`, hint].join(' ').trim()}`;
}

/** When an attempt was made, and for whom. */
export function attemptWords({ attempt, time, account }: CallbackEvent): string {
  const clock = account === null ? 'the clock' : `the clock of ${account}`;
  return `Attempt ${attempt}, at ${dateTimeOf(Date.parse(time))} by ${clock}.`;
}

/** Whether a clock is worth a line: something waits for it, or a test has frozen it. */
export function isClockShown(clock: ShownClock | null): clock is ShownClock {
  return clock !== null && (clock.pending > 0 || clock.frozen);
}

/** A clock in words. */
export function clockWords({ frozen, pending, next }: ShownClock, now: number): string {
  const timers = pending === 0 ? 'No timer' : pending === 1 ? '1 timer' : `${pending} timers`;
  const due = next === null ? '' : `, the next one due at ${dateTimeOf(next)}`;
  return `${dateTimeOf(now)}, ${frozen ? 'frozen' : 'running'}. ${timers} pending${due}.`;
}
