import { describe, expect, it } from 'vitest';
import { MAX_STRETCH, Pace } from '../../src/drill/pace.ts';
import { patienceFor, TIMES, USUAL_LIMIT, USUAL_PATIENCE } from '../../src/drill/times.ts';

/** So many timers count. */
const TIMERS = 20;

function paceOf(late: number, limit = USUAL_LIMIT): Pace {
  const pace = new Pace(limit);
  for (let timer = 0; timer < TIMERS; timer++) pace.slept(100, 100 + late);
  return pace;
}

describe('a wait', () => {
  it('is as long as usual on a machine whose timers come in time', () => {
    expect(paceOf(0).of('watch')).toBe(TIMES.watch.ms);
    expect(paceOf(-3).of('watch')).toBe(TIMES.watch.ms);
  });

  it('is longer in proportion to how late timers come', () => {
    expect(paceOf(50).of('watch')).toBe(2 * TIMES.watch.ms);
    expect(paceOf(100).of('watch')).toBe(3 * TIMES.watch.ms);
  });

  it('is at most four times as long', () => {
    expect(paceOf(10_000).of('watch')).toBe(MAX_STRETCH * TIMES.watch.ms);
    expect(MAX_STRETCH).toBe(4);
  });

  it('is as long as usual again when the machine has time again', () => {
    const pace = paceOf(10_000);
    for (let timer = 0; timer < TIMERS; timer++) pace.slept(100, 100);
    expect(pace.of('watch')).toBe(TIMES.watch.ms);
  });

  it('is hardly longer after one timer that came late', () => {
    const pace = new Pace(USUAL_LIMIT);
    pace.slept(100, 150);
    expect(pace.of('watch')).toBeCloseTo(1.05 * TIMES.watch.ms);
  });

  it('is at least as long as three of the slowest calls in success', () => {
    const pace = new Pace(USUAL_LIMIT);
    for (const ms of [100, 300, 200]) pace.called(ms);
    expect(pace.of('calm')).toBe(900);
    expect(pace.of('watch')).toBe(TIMES.watch.ms);
  });

  it('is shorter in proportion to a short limit, if it may be', () => {
    expect(paceOf(0, 5000).of('watch')).toBe(TIMES.watch.ms / 4);
    expect(paceOf(0, 5000).of('calm')).toBe(TIMES.calm.ms);
    expect(paceOf(0, 5000).of('outage')).toBe(TIMES.outage.ms);
  });

  it('is not longer with a long limit', () => {
    expect(paceOf(0, 600_000).of('watch')).toBe(TIMES.watch.ms);
  });

  it('that the drill lets pass is not stretched', () => {
    expect(paceOf(10_000, 5000).exactly('retryAfter')).toBe(TIMES.retryAfter.ms / 4);
    expect(paceOf(10_000).exactly('lateClick')).toBe(TIMES.lateClick.ms);
  });
});

describe('a machine', () => {
  it('is behind if its timers come late, and not for one that did', () => {
    const pace = paceOf(300);
    expect(pace.isBehind).toBe(true);
    for (let timer = 0; timer < TIMERS; timer++) pace.slept(100, 100);
    pace.slept(100, 1000);
    expect(pace.isBehind).toBe(false);
  });
});

it.each([
  [USUAL_LIMIT, USUAL_PATIENCE],
  [600_000, USUAL_PATIENCE],
  [10_000, 30_000],
  [1000, 3000],
])('with a limit of %i ms, the usual patience is %i ms', (limit, patience) => {
  expect(patienceFor(limit)).toBe(patience);
});

it('patience is longer than the usual timeouts of clients', () => {
  expect(USUAL_PATIENCE).toBeGreaterThan(55_000);
});
