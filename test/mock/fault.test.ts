import { describe, expect, test } from 'vitest';
import { FAULTS, readFault } from '../../src/mock/fault.ts';

describe('a fault', () => {
  test.each(FAULTS)('%s is said by its name alone, or as an object', (type) => {
    expect(readFault(type)).toEqual({ type, duration: 1000 });
    expect(readFault({ type })).toEqual({ type, duration: 1000 });
  });

  test('dribble may say how long it takes', () => {
    for (const duration of [0, 7, 3_600_000]) {
      expect(readFault({ type: 'dribble', duration })).toEqual({ type: 'dribble', duration });
    }
  });

  test.each<[unknown, string]>([
    ['explode', 'fault: it is not allowed. Give one of reset, close, truncate, malformed'],
    [{ type: 'explode' }, 'fault.type: it is not allowed. Give one of reset, close, truncate'],
    [7, 'fault: it is not allowed. Give an object with some of type, duration.'],
    [{ type: 'reset', duration: 1 }, 'fault.duration: it is not allowed. Give it for the fault'],
    [{ type: 'dribble', duration: -1 }, 'fault.duration: it is not allowed. Give a number from 0'],
    [{ type: 'reset', x: 1 }, 'a field of fault: it is not allowed. Give only type, duration.'],
  ])('%j is refused, and told what may be', (fault, words) => {
    expect(() => readFault(fault)).toThrow(`Failed to read ${words}`);
  });
});
