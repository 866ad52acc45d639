import { expect, it } from 'vitest';
import {
  dateOf,
  dateTimeOf,
  durationText,
  timeOfDay,
} from '../../../src/control/page/clock-words.ts';

it('shows local dates and times with two digits', () => {
  const date = new Date(2027, 0, 2, 3, 4, 5, 6);
  expect(timeOfDay(date.toISOString())).toBe('03:04:05.006');
  expect(dateOf(date.toISOString())).toBe('2027-01-02');
  expect(dateTimeOf(date.getTime())).toBe('2027-01-02 03:04:05');
});

it.each([
  [null, ''],
  [0, '0.0 ms'],
  [99.94, '99.9 ms'],
  [99.95, '100 ms'],
  [999.4, '999 ms'],
  [999.5, '1.00 s'],
  [9_999.4, '10.00 s'],
  [9_999.5, '10.0 s'],
])('shows %j ms as %j', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
