import { expect, it } from 'vitest';
import { verdictOf } from '../../bench/targets.mjs';

const at = (id: string, entry: object, facts = {}) =>
  verdictOf(
    { id, unit: 'ms', better: 'less', entries: { 'momo-mock': entry }, ...facts },
    'momo-mock',
  );

it('is met at its bound and not beyond', () => {
  expect(at('first-answer', { ratio: 1.5 })).toEqual({ target: 'at most 1.5 x', met: true });
  expect(at('first-answer', { ratio: 1.51 })?.met).toBe(false);
  expect(at('kept-alive', { ratio: 0.85 })).toEqual({ target: 'at least 0.85 x', met: true });
  expect(at('kept-alive', { ratio: 0.84 })?.met).toBe(false);
});

it('is met only where all of its bounds are', () => {
  expect(at('in-process', { cpu: 9, ratio: 2 })?.met).toBe(true);
  expect(at('in-process', { cpu: 11, ratio: 2 })?.met).toBe(false);
  expect(at('in-process', { cpu: 9, ratio: 4 })?.met).toBe(false);
  expect(at('in-process', { ratio: 2 })?.met).toBe(false);
});

it('bounds growth to the worse side', () => {
  const more = { better: 'more' };
  expect(at('growth-started-10,000 accounts', { ratio: 1.2 })?.met).toBe(false);
  expect(at('growth-started-10,000 accounts', { ratio: 0.5 })?.met).toBe(true);
  expect(at('growth-asked-full journal', { ratio: 0.9 }, more)?.met).toBe(false);
  expect(at('growth-asked-full journal', { ratio: 1.2 }, more)?.met).toBe(true);
});

it('is none for what has no target', () => {
  expect(at('p99', { ratio: 1 })).toBeUndefined();
});
