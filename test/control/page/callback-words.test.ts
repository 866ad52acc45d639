import { describe, expect, it } from 'vitest';
import {
  attemptStatus,
  attemptWhy,
  attemptWords,
  clockWords,
  isClockShown,
  isRefused,
  sentWords,
} from '../../../src/control/page/callback-words.ts';
import { dateTimeOf } from '../../../src/control/page/clock-words.ts';
import { attemptOf, IN_FLIGHT } from './attempt-of.ts';

const LOST = { ...IN_FLIGHT, reason: 'lost', hint: 'It was not sent.', duration: 0 } as const;

describe('an attempt in words', () => {
  it.each([
    ['accepted', {}, ['200', ['', ''], false]],
    ['redirected', { status: 302 }, ['302', ['', ''], true]],
    ['refused', { status: 500 }, ['500', ['', ''], true]],
    ['in flight', IN_FLIGHT, ['…', ['in flight', ''], false]],
    ['without a response', LOST, ['–', ['lost', 'It was not sent.'], true]],
  ])('says that it is %s', (_what, given, words) => {
    const attempt = attemptOf(1, given);
    expect([attemptStatus(attempt), attemptWhy(attempt), isRefused(attempt)]).toEqual(words);
  });

  it('says what came of sending it again', () => {
    expect(sentWords(attemptOf(2, { attempt: 3 }))).toBe('Sent again. Attempt 3: status 200.');
    expect(sentWords(attemptOf(2, LOST))).toBe('Sent again. Attempt 1: lost. It was not sent.');
  });

  it('says when it was made, and by which clock', () => {
    const time = dateTimeOf(Date.UTC(2026, 10, 22, 12));
    const words = attemptWords(attemptOf(1, { attempt: 2 }));
    expect(words).toBe(`Attempt 2, at ${time} by the clock of account-1.`);
    expect(attemptWords(attemptOf(1, { account: null }))).toMatch(/by the clock\.$/);
  });
});

describe('a clock', () => {
  const running = { now: 0, frozen: false, pending: 0, next: null };

  it('is shown while it is frozen or a timer is pending', () => {
    expect([null, running].map(isClockShown)).toEqual([false, false]);
    expect(isClockShown({ ...running, frozen: true })).toBe(true);
    expect(isClockShown({ ...running, pending: 1 })).toBe(true);
  });

  it('is told in words', () => {
    const [now, next] = [Date.UTC(2026, 10, 22), Date.UTC(2026, 10, 23)];
    expect(dateTimeOf(now)).toMatch(/^2026-11-2\d \d\d:\d\d:00$/);
    expect(clockWords({ ...running, frozen: true }, now)).toBe(
      `${dateTimeOf(now)}, frozen. No timer pending.`,
    );
    expect(clockWords({ ...running, pending: 1 }, now)).toContain('running. 1 timer pending.');
    expect(clockWords({ ...running, pending: 2, next }, now)).toContain(
      `2 timers pending, the next one due at ${dateTimeOf(next)}.`,
    );
  });
});
