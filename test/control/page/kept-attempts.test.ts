import { describe, expect, it } from 'vitest';
import {
  addAttempts,
  replaceAttempts,
  shownAttempts,
} from '../../../src/control/page/kept-attempts.ts';
import type { CallbackEvent } from '../../../src/mock/controller/journal-events.ts';
import { attemptOf, IN_FLIGHT } from './attempt-of.ts';

const attempts = (...ids: number[]) => ids.map((id) => attemptOf(id));
const idsOf = (list: readonly CallbackEvent[]) => list.map(({ id }) => id);

describe('the attempts that are kept', () => {
  it('are the newest, the newest first, whatever the order of events', () => {
    expect(idsOf(addAttempts(attempts(2, 1), attempts(4, 3)))).toEqual([4, 3, 2, 1]);
    expect(idsOf(addAttempts(attempts(2, 1), attempts(4, 3), 3))).toEqual([4, 3, 2]);
    expect(
      addAttempts(
        [],
        Array.from({ length: 120 }, (_, at) => attemptOf(at)),
      ),
    ).toHaveLength(100);
  });

  it.each([
    ['a status', {}],
    ['a reason', { ...IN_FLIGHT, reason: 'timeout' as const }],
    ['a duration', { ...IN_FLIGHT, duration: 3 }],
  ])('are never in flight again when they have %s', (_what, given) => {
    const ended = attemptOf(1, given);
    expect(addAttempts([attemptOf(1, IN_FLIGHT)], [ended])).toEqual([ended]);
    expect(addAttempts([ended], [attemptOf(1, IN_FLIGHT)])).toEqual([ended]);
  });

  it('are those of the server, and those that came since it was asked', () => {
    expect(idsOf(replaceAttempts(attempts(4, 3, 2, 1), attempts(2, 3), 3))).toEqual([4, 3, 2]);
    expect(replaceAttempts(attempts(2, 1), [], 2)).toEqual([]);
    const ended = replaceAttempts(attempts(1), [attemptOf(1, IN_FLIGHT)], 1);
    expect(ended).toEqual(attempts(1));
  });
});

describe('the rows', () => {
  it('are all that are kept, unless they are frozen', () => {
    expect(shownAttempts(attempts(2, 1))).toEqual({ rows: attempts(2, 1), fresh: 0 });
    expect(shownAttempts(attempts(2, 1), [])).toEqual({ rows: attempts(2, 1), fresh: 0 });
  });

  it('keep their places while they are frozen, and get new states', () => {
    const frozen = [attemptOf(2, IN_FLIGHT), attemptOf(1)];
    const shown = shownAttempts(attempts(4, 3, 2, 1), frozen);
    expect(shown).toEqual({ rows: attempts(2, 1), fresh: 2 });
  });

  it('stay while newer ones take their places in the list', () => {
    const shown = shownAttempts(attempts(4, 3, 2), attempts(2, 1), 3);
    expect([idsOf(shown.rows), shown.fresh]).toEqual([[2, 1], 2]);
  });

  it('go when they were cleared', () => {
    expect(shownAttempts(attempts(3), attempts(2, 1))).toEqual({ rows: attempts(3), fresh: 0 });
    const partly = shownAttempts(attempts(4, 3, 1), attempts(2, 1), 3);
    expect([idsOf(partly.rows), partly.fresh]).toEqual([[4, 3, 1], 0]);
    expect(shownAttempts([], attempts(1))).toEqual({ rows: [], fresh: 0 });
  });
});
