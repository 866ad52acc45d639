import { nextTurn } from '../../timers.ts';
import { MOST_TIMERS } from '../limits.ts';
import { endlessTimers, type TimerFailure, timersFailed } from './timer-failure.ts';
import type { Timer } from './timer-queue.ts';
import type { TimerRunner } from './timer-runner.ts';

/** A clock that stands still, with its timers. */
export interface StandingClock {
  readonly runner: TimerRunner;
  now(): number;
}

/** What an `advance` moves. */
export interface Movement {
  /** The clocks. A timer can add more of them. */
  clocks(): readonly StandingClock[];
  /** Moves the clocks by a time in ms. */
  moveBy(ms: number): void;
  /** Whether a reset has made the movement void. */
  isVoid(): boolean;
}

/** The time in ms until the next timer of a clock is due; `Infinity` without one. */
export function waitOf({ runner, now }: StandingClock): number {
  return runner.next === undefined ? Infinity : Math.max(runner.next - now(), 0);
}

/**
 * Moves clocks and runs what comes due. Timers that are due together start in the order in which
 * they were set. The clocks move on when all that these started has ended. They stay where a timer was
 * due whose promise does not settle.
 *
 * @param by a time in ms, or `idle`: until nothing is pending
 * @throws MomoMockError `MOMO_MOCK_TIMER_FAILED`
 */
export async function advanceClocks(movement: Movement, by: number | 'idle'): Promise<void> {
  const failures: TimerFailure[] = [];
  let left = by === 'idle' ? Infinity : by;
  for (let ran = 0; ; ) {
    const ended = await Promise.all(movement.clocks().map(({ runner }) => runner.ended()));
    for (const of of ended) failures.push(...of);
    if (failures.some(({ late }) => late !== undefined)) throw timersFailed(failures);
    // What a timer started without waiting for it may set timers, too.
    await nextTurn();
    if (movement.isVoid()) return;
    const clocks = movement.clocks();
    let wait = Infinity;
    for (const clock of clocks) wait = Math.min(wait, waitOf(clock));
    if (wait === Infinity || wait > left) break;
    if (ran >= MOST_TIMERS) throw endlessTimers();
    movement.moveBy(wait);
    left -= wait;
    ran += startDue(clocks);
  }
  if (left !== Infinity) movement.moveBy(left);
  if (failures.length > 0) throw timersFailed(failures);
}

/** Starts what is due, and returns the number of timers. */
function startDue(clocks: readonly StandingClock[]): number {
  const due: { runner: TimerRunner; timer: Timer; late: number }[] = [];
  for (const { runner, now } of clocks) {
    const time = now();
    for (const timer of runner.takeDue(time)) due.push({ runner, timer, late: time - timer.due });
  }
  due.sort((one, two) => two.late - one.late || one.timer.order - two.timer.order);
  for (const { runner, timer } of due) runner.start(timer);
  return due.length;
}
