import type { CallbackEvent } from '../../mock/controller/journal-events.ts';

/** The number of attempts that the page loads, keeps and shows. */
export const MOST_ATTEMPTS = 100;

/** Whether an attempt has its status, or will never have one. */
export function hasAttemptEnded({ status, reason, duration }: CallbackEvent): boolean {
  return status !== null || reason !== null || duration !== null;
}

/**
 * Adds attempts, or new states of them. One that has ended is never in flight again.
 *
 * @param attempts the newest first
 */
export function addAttempts(
  attempts: readonly CallbackEvent[],
  more: readonly CallbackEvent[],
  most = MOST_ATTEMPTS,
): readonly CallbackEvent[] {
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  for (const attempt of more) {
    const known = byId.get(attempt.id);
    const isOlder = known !== undefined && hasAttemptEnded(known) && !hasAttemptEnded(attempt);
    if (!isOlder) byId.set(attempt.id, attempt);
  }
  return [...byId.values()].sort((one, two) => two.id - one.id).slice(0, most);
}

/**
 * Takes over the list of the server.
 *
 * @param asked the id of the newest attempt when the server was asked; those after it stay
 */
export function replaceAttempts(
  attempts: readonly CallbackEvent[],
  loaded: readonly CallbackEvent[],
  asked: number,
): readonly CallbackEvent[] {
  const ids = new Set(loaded.map(({ id }) => id));
  const there = attempts.filter(({ id }) => ids.has(id) || id > asked);
  return addAttempts(there, loaded);
}

/** The attempts in the table. */
export interface ShownAttempts {
  readonly rows: readonly CallbackEvent[];
  /** The number of attempts that came since the rows were frozen. */
  readonly fresh: number;
}

/**
 * Chooses the attempts to show.
 *
 * @param frozen the rows that keep their places while the user reads them; they get new states
 */
export function shownAttempts(
  attempts: readonly CallbackEvent[],
  frozen?: readonly CallbackEvent[],
  most = MOST_ATTEMPTS,
): ShownAttempts {
  if (frozen === undefined || frozen.length === 0) return { rows: attempts, fresh: 0 };
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  const oldest = attempts.at(-1)?.id ?? Infinity;
  // In a full list, those before the oldest one have only made room for newer ones.
  const isFull = attempts.length >= most;
  const isThere = ({ id }: CallbackEvent) => byId.has(id) || (isFull && id < oldest);
  if (!frozen.every(isThere)) return { rows: attempts, fresh: 0 };
  const newest = frozen[0]?.id ?? 0;
  return {
    rows: frozen.map((row) => byId.get(row.id) ?? row),
    fresh: attempts.filter(({ id }) => id > newest).length,
  };
}
